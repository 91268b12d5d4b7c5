# `python -m` puts the current folder first on the path: a repository's rich.py would be ours. Before any other import,
# even that of __future__; os and sys are there since Python started.
import os
import sys

if __name__ == "__main__":
    if sys.path and sys.path[0] in ("", os.getcwd()) and not getattr(sys.flags, "safe_path", False):
        del sys.path[0]

    from rewarp.cli import main

    sys.exit(main())
