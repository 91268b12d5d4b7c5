import subprocess
from pathlib import Path
from setuptools import setup

subprocess.run(["git", "submodule", "update", "--init", "csrc/cutlass"])
include = Path("csrc") / "cutlass" / "include"
setup(name="x")
# output
path: setup.py
5 build-fail: "csrc/cutlass"
