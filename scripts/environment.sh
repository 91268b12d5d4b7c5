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

install() { # install EXTRAS...
    python="$(find_python)"
    if [ ! -x "$VENV/bin/python" ]; then
        # Debian without python3-venv has no ensurepip: make the environment bare and let the system's pip fill it.
        "$python" -m venv "$VENV" >/dev/null 2>&1 || "$python" -m venv --clear --without-pip "$VENV"
    fi
    if "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
        "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$1"
    elif "$python" -m pip --version >/dev/null 2>&1; then
        "$python" -m pip --python "$VENV/bin/python" install --quiet --disable-pip-version-check --editable "$1"
    else
        echo "no pip found: install your system's python3-venv (or python3-pip) package" >&2
        exit 2
    fi
}
