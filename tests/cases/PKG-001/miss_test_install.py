import subprocess
import sys


def test_fresh_install(venv):
    subprocess.run([sys.executable, "-m", "pip", "install", "torch==2.4.0"], check=True)
# output
path: tests/test_install.py
6 info: "torch==2.4.0"
