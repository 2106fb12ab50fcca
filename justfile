# The same commands everywhere: here, in CI, in the documentation.

# every check and every test; while working: just test --quick
test *ARGS:
    ./test {{ARGS}}

# format, lint, types, imports
check:
    .venv/bin/python -m ruff format --check .
    .venv/bin/python -m ruff check .
    .venv/bin/python -m mypy
    .venv/bin/lint-imports

# repair what can be repaired by itself
fix:
    .venv/bin/python -m ruff check --fix .
    .venv/bin/python -m ruff format .

# measure, and renew the report; one bench by name: just bench reading
bench *NAMES:
    .venv/bin/python -I bench/run.py {{NAMES}}

# renew the tables of the reference and build the documentation into site/
docs:
    .venv/bin/python scripts/reference.py
    .venv/bin/zensical build --strict --clean

# record the session at a terminal that the README shows
demo:
    .venv/bin/python scripts/demo.py

# build the package into dist/ and try it as it is installed
package:
    .venv/bin/python scripts/package.py
    .venv/bin/python scripts/materials.py

# renew the pictures of every page in docs/screenshots (needs Chromium)
screenshots:
    .venv/bin/python scripts/screenshots.py

# renew the list of names that users rely on (tests/public_names.txt)
names:
    .venv/bin/python scripts/public_names.py

# break the code line by line and see whether the tests of its room notice
mutants *WORDS:
    .venv/bin/python scripts/mutants.py {{WORDS}}

# count the functions that everyday walks go through
walks *ARGS:
    .venv/bin/python scripts/walks.py {{ARGS}}

# everything of a release that a program can do; docs/release.md has the whole list
release VERSION:
    ./test
    .venv/bin/python scripts/release.py {{VERSION}}
    just docs package
    git status --short

# renew the locked requirements (needs uv)
lock:
    scripts/lock
