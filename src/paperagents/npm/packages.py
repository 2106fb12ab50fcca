"""npm packages of one tool: resolved once, locked with their checksums, installed into a folder, then used offline.

Only packages of the registry can be named, and no script of a package is ever run. They are kept with the user, not
in the vault: a folder that comes from somebody else must not bring packages along that nobody here agreed to.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import is_registry_package, lossless_bytes, slug
from paperagents.errors import ToolError
from paperagents.messages import system_text
from paperagents.npm.process import install_command, write_loader
from paperagents.patterns import late_pattern
from paperagents.values import dataclass

if TYPE_CHECKING:
    import subprocess

SECONDS = 300.0
"""How long resolving or installing may take."""
LOCK = "deno.lock"
_CERTIFICATES = ("DENO_CERT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
_PASSED_ON = (
    "HOME", "PATH", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "DENO_TLS_CA_STORE", *_CERTIFICATES,
)  # fmt: skip
_REGISTRY = "NPM_CONFIG_REGISTRY"


@dataclass(frozen=True, kw_only=True, slots=True)
class Lock:
    """Exactly which packages are installed."""

    text: str

    @property
    def digest(self) -> str:
        """Names these very packages."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def packages(self) -> list[str]:
        """Name and version of every package, also of those that packages need themselves."""
        return sorted(json.loads(self.text).get("npm", {}))


class PackageFolder:
    """Where the packages of one tool are."""

    def __init__(self, cache: Path, tool: str, dependencies: Mapping[str, str]) -> None:
        self.dependencies = dict(sorted(dependencies.items()))
        for name, wanted in self.dependencies.items():
            if not is_registry_package(name, wanted):
                raise ToolError("npm-name", tool=tool, name=f"{name}@{wanted}"[:200])
        self._cache = cache
        self._family = f"{slug(tool)[:40]}-{short_digest(tool)}"
        self.path = cache / f"{self._family}-{short_digest(json.dumps(self.dependencies))}"
        self._running: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def read_lock(self) -> Lock | None:
        """What is installed; None where that is nothing yet."""
        try:
            lock = Lock(text=(self.path / LOCK).read_text("utf-8"))
            lock.packages  # noqa: B018  a damaged file counts as none
        except (OSError, ValueError, AttributeError):
            return None
        return lock

    def resolve(self) -> Lock:
        """The newest versions that the tool's declarations allow. Asks the registry; installs nothing."""
        staging = self.make_staging()
        try:
            self.run_deno(staging, "--lockfile-only")
            return Lock(text=(staging / LOCK).read_text("utf-8"))
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def install(self, lock: Lock) -> None:
        """Install exactly these packages, all or none; what was there before is replaced."""
        staging = self.make_staging()
        try:
            (staging / LOCK).write_text(lock.text, "utf-8")
            self.run_deno(staging, "--frozen")
            write_loader(staging)
            self.move_into_place(staging)
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def install_nothing(self) -> None:
        """Make the folder of a tool that has no packages."""
        staging = self.make_staging()
        try:
            (staging / LOCK).write_text("{}", "utf-8")
            write_loader(staging)
            self.move_into_place(staging)
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def stop(self) -> None:
        """End an installation that is going on."""
        self._stopped = True
        if self._running is not None:
            self._running.kill()

    def make_staging(self) -> Path:
        """A folder that declares the packages and has none yet."""
        try:
            self._cache.mkdir(parents=True, exist_ok=True, mode=0o700)
            staging = self._cache / f"new-{secrets.token_hex(8)}"
            staging.mkdir()
            (staging / "package.json").write_text(json.dumps({"dependencies": self.dependencies}), "utf-8")
            # The root of its own workspace: no configuration of a folder above is looked for.
            (staging / "deno.json").write_text(json.dumps({"nodeModulesDir": "manual", "workspace": []}), "utf-8")
        except OSError as error:
            raise ToolError("cannot-write", path=str(self._cache), reason=system_text(error)) from error
        return staging

    def move_into_place(self, staging: Path) -> None:
        """Let the new folder take the place of all that were installed for this tool."""
        for old in self._cache.glob(f"{self._family}-*"):
            # Renamed first: a process that is just starting finds all of it or nothing.
            gone = self._cache / f"old-{secrets.token_hex(8)}"
            with suppress(FileNotFoundError):
                old.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)
        try:
            staging.rename(self.path)
        except OSError:
            # Somebody else has installed the same at the same time.
            if self.read_lock() is None:
                raise

    def run_deno(self, folder: Path, flag: str) -> None:
        """Let Deno install what the folder declares. Raises ToolError with what it says where it fails."""
        import subprocess  # noqa: PLC0415  only installing needs it

        environment = install_environment(folder)
        files = [environment[name] for name in _CERTIFICATES if name in environment]
        command = install_command(
            [folder, Path(environment["DENO_DIR"])],
            [*files, str(Path.home() / ".npmrc")],
            ["install", flag, "--quiet", "--config", str(folder / "deno.json")],
        )
        self._running = subprocess.Popen(  # noqa: S603  our own program, fixed arguments
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        with self._running as running:
            if self._stopped:
                running.kill()
            try:
                told = running.communicate(timeout=SECONDS)[1]
            except subprocess.TimeoutExpired:
                running.kill()
                raise ToolError("npm-install-failed", reason=f"{SECONDS:g} s", retryable=True) from None
        if running.returncode != 0:
            plain = re.sub(r"\x1b\[[0-9;]*m", "", told.decode("utf-8", "replace"))
            reason = " ".join(plain.removeprefix("error: ").split())[:500]
            raise ToolError("npm-install-failed", reason=reason, retryable=True)


def user_cache() -> Path:
    """Where this user keeps what can be fetched again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "paperagents"


def packages_of(vault: Path) -> Path:
    """Where the packages of a vault's tools are."""
    return user_cache().resolve() / "npm" / f"{slug(vault.name)[:40]}-{short_digest(str(vault))}"


def install_environment(folder: Path) -> dict[str, str]:
    """What installing needs to reach the registry, and nothing else of the user's environment."""
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    # The user's registry: as the environment says, else as npm itself is set up, where it is there.
    registry = os.environ.get(_REGISTRY) or os.environ.get(_REGISTRY.lower()) or npm_registry()
    downloads = user_cache() / "deno"
    try:
        downloads.mkdir(parents=True, exist_ok=True)
    except OSError:
        downloads = folder / "deno"
    return {
        "DENO_TLS_CA_STORE": "mozilla,system",
        **environment,
        **({_REGISTRY: registry} if registry else {}),
        "DENO_DIR": str(downloads if os.access(downloads, os.W_OK) else folder / "deno"),
        "DENO_NO_UPDATE_CHECK": "1",
        "NO_COLOR": "1",
    }


@cache
def npm_registry() -> str | None:
    """The registry that npm is configured for."""
    import subprocess  # noqa: PLC0415  see above

    npm = shutil.which("npm")
    if npm is None:
        return None
    try:
        # Asked at the root: a folder's own configuration, perhaps a stranger's, has no say.
        asked = subprocess.run(  # noqa: S603  fixed arguments
            [npm, "config", "get", "registry"], cwd="/", capture_output=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    address = asked.stdout.decode("utf-8", "replace").strip()
    return address if address.startswith(("https://", "http://")) else None


def short_digest(text: str) -> str:
    """Tells texts apart in the names of folders."""
    return sha256(lossless_bytes(text)).hexdigest()[:10]


KINDS = ("read", "write", "net", "env")
_HOST = late_pattern(r"(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9]([A-Za-z0-9._-]{0,252}))(:(?P<port>[0-9]{1,5}))?")
_VARIABLE = late_pattern(r"[A-Za-z_][A-Za-z0-9_]{0,200}")
_STEERS_THE_PROCESS = late_pattern(r"(DENO|LD|NODE|V8|DYLD|MALLOC|GLIBC|SSLKEYLOGFILE|RUST)(_.*)?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Grants:
    """What one tool may touch beside its packages, as the settings say it."""

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    net: tuple[str, ...] = ()
    env: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """Names exactly these grants; empty where nothing is granted."""
        return "; ".join(f"{kind} {', '.join(values)}" for kind, values in self.by_kind().items())

    def by_kind(self) -> dict[str, tuple[str, ...]]:
        """Those that grant something."""
        return {kind: values for kind in KINDS if (values := getattr(self, kind))}

    def as_json(self) -> JsonObject:
        """The form of results."""
        return {kind: list(values) for kind, values in self.by_kind().items()}


def grants_from(table: Mapping[str, Sequence[str]]) -> Grants:
    """The grants of ``[npm.TOOL]``."""
    return Grants(**{kind: tuple(table.get(kind, ())) for kind in KINDS})


def require_possible(grants: Grants, tool: str, root: Path) -> None:
    """Refuse grants that lead out of the vault or that are no host or variable."""
    for path in (*grants.read, *grants.write):
        if "," in str(find_folder(root, path, tool).relative_to(root)):
            raise ToolError("npm-grant", tool=tool, value=path, case="comma")
    for host in grants.net:
        found = _HOST.fullmatch(host)
        if found is None or not 0 < int(found["port"] or 1) < 2**16:
            raise ToolError("npm-grant", tool=tool, value=host, case="net")
    for name in grants.env:
        if not _VARIABLE.fullmatch(name) or _STEERS_THE_PROCESS.fullmatch(name):
            raise ToolError("npm-grant", tool=tool, value=name, case="env")


def find_folder(root: Path, path: str, tool: str) -> Path:
    """The real place of a vault path; refuses what leads out or to what the program keeps."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    try:
        real = Path(root, *parts).resolve()
        inside = real.relative_to(root).parts
    except (ValueError, OSError, RuntimeError):
        raise ToolError("npm-grant", tool=tool, value=path, case="path") from None
    if ".." in parts or inside[:1] == (".paper",):
        raise ToolError("npm-grant", tool=tool, value=path, case="path")
    return real


def read_variables(grants: Grants) -> tuple[tuple[str, str], ...]:
    """The variables that are granted and set."""
    return tuple((name, os.environ[name]) for name in grants.env if name in os.environ)
