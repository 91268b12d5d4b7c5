# Sourced by demo and test: makes .venv and installs rewarp there. Needs only Python 3.10+ and a package index.
set -eu
cd "$(dirname "$0")/.."
VENV="${VENV:-.venv}"

find_python() {
    for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11 python3.10 python3; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "rewarp needs Python 3.10 or newer" >&2
    exit 2
}

say() {
    echo "$*" >&2
}

install() { # install EXTRAS...
    python="$(find_python)"
    # What takes minutes the first time is seen to go on; later there is nothing to see.
    set -- "$1" --quiet
    if [ ! -x "$VENV/bin/python" ]; then
        # Debian without python3-venv has no ensurepip: make the environment bare and let the system's pip fill it.
        set -- "$1" --progress-bar "$([ -t 2 ] && echo on || echo off)"
        "$python" -m venv "$VENV" >/dev/null 2>&1 || "$python" -m venv --clear --without-pip "$VENV"
    fi
    if "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
        "$VENV/bin/python" -m pip install --disable-pip-version-check --editable "$@" >&2
    elif "$python" -m pip --version >/dev/null 2>&1; then
        "$python" -m pip --python "$VENV/bin/python" install --disable-pip-version-check --editable "$@" >&2
    else
        echo "no pip found: install your system's python3-venv (or python3-pip) package" >&2
        exit 2
    fi
}
