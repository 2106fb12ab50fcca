"""Breaks lines of the program one at a time, and sees whether the tests of their own room notice.

    .venv/bin/python scripts/mutants.py              all of them
    .venv/bin/python scripts/mutants.py files tags   those of files whose path holds one of these words
    .venv/bin/python scripts/mutants.py --list       only look whether every line is still there

Nothing is changed here: the checkout is copied to a temporary folder, with an environment of its own. The exit code is
1 where fewer than nine of ten are noticed, and 2 where a line is no longer there: put its successor into the list.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
WANTED = 0.9
LONGEST_SECONDS = 900


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A piece of a line that stands exactly once in its file, what it is replaced by, and whose tests must notice."""

    file: str
    line: str
    broken: str
    tests: tuple[str, ...]


def mutants_in(room: str, tests: str, *pieces: tuple[str, str, str]) -> list[Mutant]:
    """Mutants of one room: the file, the piece of a line, and the broken one."""
    return [
        Mutant(file=f"{room}/{file}" if room else file, line=line, broken=broken, tests=tuple(tests.split()))
        for file, line, broken in pieces
    ]


MUTANTS = [
    # The durable core.
    *mutants_in(
        "runs",
        "tests/runs",
        ("continuation.py", "if digest is not None and digest != request.digest:", "if False:"),
        ("questions.py", "encode(decision), signature)).rowcount == 1", "encode(decision), signature)).rowcount >= 0"),
        ("questions.py", "return [row for row in found if self._is_valid(row)]", "return found"),
        ("continuation.py", "if not self.trusts_run(run):", "if False:"),
        ("continuation.py", "return is_ready and self.journal.is_own(run.run_id)", "return is_ready"),
        ("questions.py", "(isinstance(self.decision, Approved) and self.digest == digest)", "True"),
        ("journal.py", '"DELETE FROM questions WHERE root_run = ? AND withdrawn = 1", (run_id,)', '"SELECT 1"'),
        ("journal.py", "connection.execute(DELETE_STALE_ANSWERS, (run_id,))", "pass"),
        ("history.py", " or sha256(content).hexdigest() != digest:", ":"),
        ("history.py", "return request if request.is_intact and not", "return request if not"),
        ("chain.py", "if not isinstance(failure, WaitingError | None):", "if failure is not None:"),
        ("chain.py", "timeout=min(times, default=None)", "timeout=max(times, default=None)"),
        ("run.py", "if run is None or run.parent_run is not None:", "if run is None:"),
        ("run.py", "if above.depth >= self.services.max_depth:", "if above.depth > self.services.max_depth:"),
        ("run.py", "return content if sha256(content).hexdigest() == digest else None", "return content"),
        ("log.py", "is_result and not (entry.is_idempotent and redacted)", "is_result"),
        ("log.py", "is_result = entry.is_final or ", "is_result = "),
        ("log.py", "at_once=entry.leaves_the_vault", "at_once=False"),
        ("gate.py", "        except PaperError as error:", "        except BaseException as error:"),
        ("gate.py", "can_redo = is_same and effect.refusal is None", "can_redo = is_same"),
        ("gate.py", "is_same = intent.is_agreed and intent.digest", "is_same = intent.digest"),
        ("gate.py", "        elif effect.leaves_the_vault:", "        elif False:"),
    ),
    *mutants_in(
        "approval",
        "tests/approval",
        ("rules.py", "return len(names) in reached", "return True"),
        ("rules.py", "return datetime.fromisoformat(self.until) <= datetime.now(UTC)", "return False"),
        ("rules.py", "scope.method != self.method", "False"),
        ("rules.py", "not self._covers_host(scope.host)", "False"),
        ("rules.py", 'self.mode not in ("", scope.mode)', "False"),
        ("question.py", "if are_texts and isinstance(arguments, dict | None) and", "if are_texts and"),
        ("question.py", "digest_of([effect, tool, arguments, preview, run_id, path, ", "digest_of([effect, tool, "),
    ),
    *mutants_in(
        "", "tests/test_settings.py", ("settings.py", "[thing for thing in things if not trust.trusts(thing)]", "[]")
    ),
    *mutants_in(
        "files",
        "tests/files",
        ("writing.py", "if expected is not None and expected != (", "if expected == ("),
        ("writing.py", "if mode and not mode & 0o222:", "if False:"),
        ("writing.py", "if (now.st_ino, now.st_size, now.st_mtime_ns) != (", "if () > ("),
        ("writing.py", "    os.fsync(draft)", "    pass"),
        ("safe_open.py", "= _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS | _RESOLVE_NO_SYMLINKS", "= 0"),
        ("safe_open.py", "if parts[: len(root_parts)] != root_parts:", "if False:"),
        ("safe_open.py", "os.open(segments[-1], flags | os.O_NOFOLLOW,", "os.open(segments[-1], flags,"),
    ),
    *mutants_in(
        "http",
        "tests/http",
        ("connection.py", "for address in addresses:", "for address in addresses[:1]:"),
        ("addresses.py", "if address in _NAT64:", "if False:"),
        ("addresses.py", " and allowed_port in (None, port)", ""),
        ("client.py", "if origin != new_origin:", "if False:"),
    ),
    *mutants_in(
        "secrets",
        "tests/secrets",
        ("redaction.py", "{json.dumps(secret)[1:-1], ", "{"),
        ("redaction.py", "shown = self._redaction.settled(text)", "shown = len(text)"),
    ),
    *mutants_in(
        "sandbox",
        "tests/sandbox",
        ("limits.py", "min(getattr(self, name), value)", "value"),
        ("values.py", "if depth > MAX_DEPTH + 8 or containers > MAX_CONTAINERS:", "if False:"),
        ("block.py", "if self._calls > self._block.limits.host_calls:", "if False:"),
    ),
    *mutants_in(
        "tags",
        "tests/tags",
        ("pairing.py", "if not self._blocks.holds(tool_id):", "if not self._blocks.stack:"),
        ("tokenizer.py", 'self._extend("\\n")', 'self._extend("")'),
    ),
    *mutants_in(
        "agents",
        "tests/agents",
        ("calls.py", "if count > MOST_CALLS:", "if False:"),
        ("calls.py", "if is_deeper_than(value, DEEPEST):", "if False:"),
    ),
    *mutants_in(
        "cluster",
        "tests/cluster/test_worker.py",
        ("worker.py", "self._working.discard(run_id)", "pass"),
    ),
]


def main(arguments: Sequence[str]) -> int:
    """Try the chosen mutants."""
    words = [each for each in arguments if each != "--list"]
    chosen = [each for each in MUTANTS if not words or any(word in each.file for word in words)]
    if missing := [each for each in chosen if count_of(each) != 1]:
        for each in missing:
            print(f"stands {count_of(each)} times in {each.file}: {each.line}")
        return 2
    print(f"{len(chosen)} mutants, every line is there")
    return 0 if "--list" in arguments else try_mutants(chosen)


def count_of(mutant: Mutant, root: Path = ROOT) -> int:
    """How often its line stands in its file."""
    file = root / "src" / "paperagents" / mutant.file
    return file.read_text(encoding="utf-8").count(mutant.line) if file.is_file() else 0


def try_mutants(mutants: Sequence[Mutant]) -> int:
    """Try one after another; the exit code."""
    with tempfile.TemporaryDirectory(prefix="paper-mutants-") as folder:
        copy = Copy(Path(folder))
        for tests in dict.fromkeys(each.tests for each in mutants):
            if failing := copy.find_failing(tests):
                print(f"fails without any change: {failing}")
                return 2
        caught = 0
        for each in mutants:
            failing = copy.find_failing_with(each)
            caught += failing is not None
            print(f"{each.file}: {each.line.strip()}\n    {failing or 'NOT CAUGHT'}", flush=True)
    print(f"{caught} of {len(mutants)} caught")
    return 0 if caught >= WANTED * len(mutants) else 1


class Copy:
    """The checkout in another folder, with an environment that knows the program there and nowhere else."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._second = int(time.time())
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        )  # fmt: skip
        for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.splitlines()):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name)
        # Processes that the tests start look for the program by themselves, so a search path alone is not enough.
        libraries = sysconfig.get_path("purelib")
        own = root / ".venv" / Path(libraries).relative_to(sys.prefix)
        own.mkdir(parents=True)
        (own / "paperagents.pth").write_text(f"{root / 'src'}\n{libraries}\n")
        shutil.copy(Path(sys.prefix) / "pyvenv.cfg", root / ".venv")
        (root / ".venv" / "bin").mkdir()
        self._python = root / ".venv" / "bin" / "python"
        self._python.symlink_to(Path(sys.executable).resolve())

    def find_failing(self, tests: Sequence[str]) -> str | None:
        """The first of these tests that fails, or None where all hold; what hangs does not hold."""
        command = [
            str(self._python), "-m", "pytest", "-x", "-q", "-n", "2", "-p", "no:schemathesis", "-p", "no:cacheprovider",
            "-m", "not (browser or contract or docs or kill or npm or package)", *tests,
        ]  # fmt: skip
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        try:
            done = subprocess.run(
                command, cwd=self._root, env=environment, capture_output=True, text=True, timeout=LONGEST_SECONDS,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"does not end within {LONGEST_SECONDS} seconds"
        failed = (line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR ")))
        return next(failed, f"exit code {done.returncode}")[:200] if done.returncode else None

    def find_failing_with(self, mutant: Mutant) -> str | None:
        """The first test that fails while the line is broken."""
        file = self._root / "src" / "paperagents" / mutant.file
        before = file.read_text(encoding="utf-8")
        self._write(file, before.replace(mutant.line, mutant.broken))
        try:
            return self.find_failing(mutant.tests)
        finally:
            self._write(file, before)

    def _write(self, file: Path, content: str) -> None:
        """Bytecode is kept by the second of the last change, so each change gets a second of its own."""
        file.write_text(content, encoding="utf-8")
        self._second += 1
        os.utime(file, (self._second, self._second))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
