import sys

from rewarp.cli import main

if __name__ == "__main__":
    sys.exit(main())
