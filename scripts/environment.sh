# Makes .venv with the locked requirements of one file, and says what it does. Sourced by ./paper and ./test.
# Needs Python 3.11 or newer and nothing else; uses uv where it is present.

say() { printf '%s\n' "paper: $*" >&2; }

fitting_python() {
    for candidate in "${PAPER_PYTHON:-}" python3 python python3.14 python3.13 python3.12 python3.11; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    say "Python 3.11 or newer with the venv module is needed and was not found."
    say "Install it (Debian: apt-get install python3 python3-venv) or name one: PAPER_PYTHON=/path/to/python"
    return 1
}

# install_requirements NAME: requirements/NAME.txt is in .venv afterwards. A stamp makes the second time quick.
install_requirements() {
    lock="$root/requirements/$1.txt"
    stamp="$root/.venv/installed-$1.txt"
    cmp -s "$lock" "$stamp" && return 0
    # One set-up at a time: the winner installs, the others find the stamp.
    if command -v flock >/dev/null 2>&1; then
        exec 9>"$root/.venv.lock"
        flock 9
        if cmp -s "$lock" "$stamp"; then exec 9>&-; return 0; fi
    fi
    if [ ! -x "$root/.venv/bin/python" ]; then
        python=$(fitting_python) || return 1
        say "making .venv with $("$python" --version 2>&1) (first use only)"
        if command -v uv >/dev/null 2>&1; then
            uv venv --quiet --python "$python" "$root/.venv" || return 1
        else
            "$python" -m venv "$root/.venv" || return 1
        fi
    fi
    say "installing $(grep -c '==' "$lock") locked packages ($1), which may take a minute"
    # A person sees how far it is; a log gets no more than what is wrong.
    quiet=--quiet
    if [ -t 2 ]; then quiet=; fi
    # A lock names everything, so nothing is looked up: a release of tomorrow cannot come between.
    locked="--no-deps --require-hashes -r"
    if command -v uv >/dev/null 2>&1; then
        VIRTUAL_ENV="$root/.venv" uv pip install $quiet $locked "$lock" >&2 || return 1
    else
        "$root/.venv/bin/python" -m pip install $quiet $quiet --disable-pip-version-check $locked "$lock" >&2 || return 1
    fi
    # The package itself runs from src/: nothing to build, edits are live.
    site=$("$root/.venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))') || return 1
    printf '%s\n' "$root/src" >"$site/paperagents.pth"
    cp "$lock" "$stamp"
    say "ready"
    if command -v flock >/dev/null 2>&1; then exec 9>&-; fi
}
