"""``install_packages``: the npm packages of a tool and what it may touch, agreed on once; then the tool runs.

Installing is an effect like any other: shown with every package and version, asked, recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from paperagents.approval.effect import Effect, digest_of
from paperagents.approval.rules import RuleBook
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import ToolError
from paperagents.messages import text
from paperagents.npm.grants import KINDS, Grants, granted_folder, granted_variables, require_possible
from paperagents.npm.packages import Lock, PackageFolder
from paperagents.npm.pools import DenoPools
from paperagents.npm.process import DenoSetup
from paperagents.sandbox import Cancellation, HostFunctions, JavaScriptResult, Limits

TOOL = "install_packages"
KEPT = ".paper"


class NpmPackages:
    """The packages and grants of the tools of one vault."""

    def __init__(  # noqa: PLR0913  each is a part of the vault
        self,
        *,
        root: Path,
        cache: Path,
        find_tool: Callable[[str], ToolDefinition],
        grants: Callable[[str], Grants],
        rules: RuleBook,
        limits: Limits,
        timezone: str = "",
    ) -> None:
        self._root = root
        self._cache = cache
        self._find_tool = find_tool
        self._grants = grants
        self._rules = rules
        self._timezone = timezone
        self.pools = DenoPools(limits=limits)

    def close(self) -> None:
        """End the processes."""
        self.pools.close()

    # --- before the first run

    def is_ready(self, tool: ToolDefinition) -> bool:
        """Whether nothing has to be installed or agreed on."""
        return self._folder(tool).installed() is not None and self._is_agreed(tool)

    def install_packages(self, arguments: JsonObject) -> Effect:
        """Show what will be installed and granted; do it after a yes."""
        tool = self._find_tool(str(arguments["tool"]))
        if not tool.dependencies:
            return _refused(arguments, ToolError("npm-nothing-to-install", tool=tool.id))
        grants = self._grants(tool.id)
        try:
            require_possible(grants, tool.id, self._root)
            folder = self._folder(tool)
            before = folder.installed()
            lock = before if before is not None and not arguments["rebuild"] else folder.resolved()
        except ToolError as refusal:
            return _refused(arguments, refusal)
        answer: JsonObject = {"tool": tool.id, "packages": [*lock.packages], "grants": grants.as_json()}
        return Effect(
            tool=TOOL,
            arguments=arguments,
            perform=lambda: self._carry_out(tool, folder, lock, answer, rebuild=bool(arguments["rebuild"])),
            needs_approval=bool(arguments["rebuild"]) or not self.is_ready(tool),
            preview=_preview(tool, lock, grants, is_new=before is None or before != lock),
            before=digest_of([tool.digest, before.digest if before else None, lock.digest, grants.as_json()]),
            after=_state(lock, agreed=True),
            current=lambda: _state(folder.installed(), agreed=self._is_agreed(tool)),
            answer=None,
            runs_in_plan=False,
            leaves_the_vault=True,
            cancel=folder.stop,
        )

    def _carry_out(
        self, tool: ToolDefinition, folder: PackageFolder, lock: Lock, answer: JsonObject, *, rebuild: bool
    ) -> JsonObject:
        if rebuild or folder.installed() != lock:
            folder.install(lock)
        if not self._is_agreed(tool):
            self._agree(tool)
        return answer

    def _folder(self, tool: ToolDefinition) -> PackageFolder:
        return PackageFolder(self._cache, tool.id, tool.dependencies)

    def _is_agreed(self, tool: ToolDefinition) -> bool:
        wanted = self._wanted(tool)
        return not wanted or self._rules.allowing(_rule_name(tool), wanted) is not None

    def _agree(self, tool: ToolDefinition) -> None:
        for rule in self._rules.rules():
            if rule.tool == _rule_name(tool):
                self._rules.revoke(rule.id)
        self._rules.allow(_rule_name(tool), self._wanted(tool))

    def _wanted(self, tool: ToolDefinition) -> str:
        """What is agreed on: these grants, for the file as it is. Empty where it may touch nothing."""
        grants = self._grants(tool.id).target
        return f"{grants}; {tool.file} {tool.digest[:32]}" if grants else ""

    # --- running

    def run(  # noqa: PLR0913  everything a piece of JavaScript stands on
        self,
        tool: ToolDefinition,
        code: Excerpt,
        *,
        names: Mapping[str, JsonValue],
        limits: Limits,
        host: HostFunctions,
        cancellation: Cancellation,
        helpers: Mapping[str, int],
        planned: bool,
    ) -> JavaScriptResult:
        """Run the tool's file in a process that may touch what was agreed on; a dry run may only read."""
        setup = self._setup(tool)
        if planned:
            setup = replace(setup, write=(), net=())
        for place in map(Path, setup.write):
            if not place.exists():
                place.mkdir(parents=True, exist_ok=True)
        return self.pools.run(
            setup, code, names=names, limits=limits, host=host, cancellation=cancellation, helpers=helpers
        )

    def variables(self, tool: ToolDefinition) -> tuple[str, ...]:
        """The values of the variables that the tool may see: secrets, perhaps."""
        return tuple(value for _, value in granted_variables(self._grants(tool.id)))

    def _setup(self, tool: ToolDefinition) -> DenoSetup:
        folder, grants = self._folder(tool), self._grants(tool.id)
        lock = folder.installed()
        if lock is None or not self._is_agreed(tool):
            raise ToolError("npm-not-installed", tool=tool.id, names=", ".join(tool.dependencies))
        require_possible(grants, tool.id, self._root)
        read, write = self._places(grants.read, tool.id), self._places(grants.write, tool.id)
        whole = self._root in read
        return DenoSetup(
            packages=folder.path.resolve(),
            declared=tuple(tool.dependencies),
            state=lock.digest,
            folder=str(self._root),
            read=_texts([*self._all_but_kept(), *read] if whole else read, without=self._root),
            write=_texts(write),
            listed=(str(self._root),) if whole else (),
            unreadable=(str(self._root / KEPT),) if whole else (),
            unwritable=(str(self._root / KEPT),) if self._root in write else (),
            net=grants.net,
            environment=granted_variables(grants),
            timezone=self._timezone,
        )

    def _places(self, paths: tuple[str, ...], tool: str) -> list[Path]:
        return [granted_folder(self._root, path, tool) for path in paths]

    def _all_but_kept(self) -> list[Path]:
        """A grant of the whole vault is one of everything in it; what the program keeps is not part of it."""
        return sorted(each for each in self._root.iterdir() if each.name != KEPT)


def _texts(places: list[Path], *, without: Path | None = None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(place) for place in places if place != without))


def _refused(arguments: JsonObject, refusal: ToolError) -> Effect:
    return Effect(tool=TOOL, arguments=arguments, perform=dict, refusal=refusal)


def _state(lock: Lock | None, *, agreed: bool) -> str:
    return digest_of([lock.digest if lock else None, agreed])


def _rule_name(tool: ToolDefinition) -> str:
    return f"{TOOL} {tool.id}"


def _preview(tool: ToolDefinition, lock: Lock, grants: Grants, *, is_new: bool) -> str:
    declared = [f"  {name} {wanted}" for name, wanted in tool.dependencies.items()]
    lines = [text("npm.declared", tool=tool.id), *declared]
    lines += [text("npm.installed" if is_new else "npm.present"), *(f"  {each}" for each in lock.packages)]
    granted = [
        f"  {text(f'npm.{kind}')}: {', '.join(getattr(grants, kind))}" for kind in KINDS if getattr(grants, kind)
    ]
    return "\n".join([*lines, text("npm.granted" if granted else "npm.nothing-granted"), *granted])
