"""The npm packages of a tool and what it may touch: agreed on once with ``install_packages``; then the tool runs.

Installing is an effect like any other: shown with every package and version, asked, recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from paperagents.approval.question import Effect, Scope, digest_of
from paperagents.approval.rules import RuleBook, narrowest_rule
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.source import Excerpt
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import ToolError
from paperagents.messages import text
from paperagents.npm.packages import Grants, Lock, PackageFolder, find_folder, read_variables, require_possible
from paperagents.npm.process import DenoPools, DenoSetup
from paperagents.sandbox import JavaScriptResult, Limits
from paperagents.sandbox.block import BlockOptions

TOOL = "install_packages"


class NpmPackages:
    """The packages and grants of the tools of one vault."""

    def __init__(  # noqa: PLR0913  each is a part of the vault
        self,
        *,
        root: Path,
        cache: Path,
        find_tool: Callable[[str], ToolDefinition],
        grants: Callable[[str], Grants],
        leads_inside: Callable[[str], bool],
        rules: RuleBook,
        limits: Limits,
        timezone: str = "",
    ) -> None:
        self._root = root
        self._cache = cache
        self._find_tool = find_tool
        self._grants = grants
        self._leads_inside = leads_inside
        self._rules = rules
        self._timezone = timezone
        self.pools = DenoPools(limits=limits)

    def close(self) -> None:
        """End the processes."""
        self.pools.close()

    def is_ready(self, tool: ToolDefinition) -> bool:
        """Whether nothing has to be installed or agreed on."""
        return self.read_lock(tool) is not None and self.is_agreed(tool)

    def read_lock(self, tool: ToolDefinition) -> Lock | None:
        """What is installed. A tool without packages needs nothing but a folder, and nobody is asked for that."""
        folder = self.folder_of(tool)
        if not tool.dependencies and folder.read_lock() is None:
            folder.install_nothing()
        return folder.read_lock()

    def install_packages(self, arguments: JsonObject) -> Effect:
        """Show what will be installed and granted; do it after a yes."""
        tool, rebuild = self._find_tool(str(arguments["tool"])), bool(arguments["rebuild"])
        if not tool.needs_deno:
            return refuse_to_install(arguments, ToolError("npm-nothing-to-install", tool=tool.id))
        grants = self._grants(tool.id)
        try:
            self.require_possible(grants, tool)
            folder = self.folder_of(tool)
            before = self.read_lock(tool)
            lock = before if before is not None and not (rebuild and tool.dependencies) else folder.resolve()
        except ToolError as refusal:
            return refuse_to_install(arguments, refusal)

        def install() -> JsonObject:
            if tool.dependencies and (rebuild or folder.read_lock() != lock):
                folder.install(lock)
            if not self.is_agreed(tool):
                self.agree(tool)
            return {"tool": tool.id, "packages": [*lock.packages], "grants": grants.as_json()}

        return Effect(
            tool=TOOL,
            arguments=arguments,
            perform=install,
            needs_approval=rebuild or not self.is_ready(tool),
            preview=preview_packages(tool, lock, grants, is_new=before != lock),
            before=digest_of([tool.digest, before.digest if before else None, lock.digest, grants.as_json()]),
            after=digest_of([lock.digest, True]),
            current=lambda: digest_of([now.digest if (now := folder.read_lock()) else None, self.is_agreed(tool)]),
            runs_in_plan=False,
            leaves_the_vault=True,
            cancel=folder.stop,
        )

    def folder_of(self, tool: ToolDefinition) -> PackageFolder:
        """Where the tool's packages are."""
        return PackageFolder(self._cache, tool.id, tool.dependencies)

    # A yes to grants is a rule of the user's, for these grants and the tool's file as it is.

    def is_agreed(self, tool: ToolDefinition) -> bool:
        """Whether somebody has agreed to what the tool may touch, or that is nothing."""
        granted = self._grants(tool.id).target
        return not granted or self._rules.find_allowing(TOOL, Scope(mode=granted), tool) is not None

    def agree(self, tool: ToolDefinition) -> None:
        """Keep that somebody has agreed; what was agreed on before is no longer."""
        for rule in self._rules.rules():
            if (rule.tool, rule.by) == (TOOL, tool.key):
                self._rules.revoke(rule.id)
        self._rules.allow(narrowest_rule(TOOL, Scope(mode=self._grants(tool.id).target), tool))

    def run(
        self, tool: ToolDefinition, code: Excerpt, *, planned: bool, **options: Unpack[BlockOptions]
    ) -> JavaScriptResult:
        """Run the tool's file in a process that may touch what was agreed on; a dry run may only read."""
        setup = self.make_setup(tool)
        if planned:
            setup = replace(setup, write=(), net=())
        for place in map(Path, setup.write):
            if not place.exists():
                place.mkdir(parents=True, exist_ok=True)
        return self.pools.run(setup, code, **options)

    def variables(self, tool: ToolDefinition) -> tuple[str, ...]:
        """The values of the variables that the tool may see: secrets, perhaps."""
        return tuple(value for _, value in read_variables(self._grants(tool.id)))

    def require_possible(self, grants: Grants, tool: ToolDefinition) -> None:
        """Refuse what cannot be granted; a name may lead into the private network today and not yesterday."""
        require_possible(grants, tool.id, self._root)
        for host in grants.net:
            if self._leads_inside(host):
                raise ToolError("npm-grant", tool=tool.id, value=host, case="private")

    def make_setup(self, tool: ToolDefinition) -> DenoSetup:
        """The process of a tool. Raises ToolError where something has to be installed or agreed on first."""
        folder, grants, root = self.folder_of(tool), self._grants(tool.id), self._root
        lock = self.read_lock(tool)
        if lock is None or not self.is_agreed(tool):
            raise ToolError("npm-not-installed", tool=tool.id, names=", ".join(tool.dependencies))
        self.require_possible(grants, tool)
        read = [find_folder(root, path, tool.id) for path in grants.read]
        write = [find_folder(root, path, tool.id) for path in grants.write]
        kept, reads_all = root / ".paper", root in read
        if reads_all:
            # A grant of the whole vault is one of everything in it; what the program keeps is not part of it.
            read = [*sorted(each for each in root.iterdir() if each != kept), *read]
        return DenoSetup(
            packages=folder.path.resolve(),
            declared=tuple(tool.dependencies),
            state=lock.digest,
            folder=str(root),
            read=tuple(dict.fromkeys(str(place) for place in read if place != root)),
            write=tuple(dict.fromkeys(map(str, write))),
            listed=(str(root),) if reads_all else (),
            unreadable=(str(kept),) if reads_all else (),
            unwritable=(str(kept),) if root in write else (),
            net=grants.net,
            environment=read_variables(grants),
            timezone=self._timezone,
        )


def refuse_to_install(arguments: JsonObject, refusal: ToolError) -> Effect:
    """An installation that is refused before anybody is asked."""
    return Effect(tool=TOOL, arguments=arguments, perform=dict, refusal=refusal)


def preview_packages(tool: ToolDefinition, lock: Lock, grants: Grants, *, is_new: bool) -> str:
    """What a person is shown: what the tool declares, what is installed for it, and what it may touch."""
    declared = [f"  {name} {wanted}" for name, wanted in tool.dependencies.items()]
    installed = [text("npm.installed" if is_new else "npm.present"), *(f"  {each}" for each in lock.packages)]
    granted = [f"  {text(f'npm.{kind}')}: {', '.join(values)}" for kind, values in grants.by_kind().items()]
    lines = [text("npm.declared", tool=tool.id), *declared, *installed]
    return "\n".join([*lines, text("npm.granted" if granted else "npm.nothing-granted"), *granted])
