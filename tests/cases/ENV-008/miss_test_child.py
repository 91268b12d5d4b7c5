import os
import subprocess
import sys


def test_child_order(preset):
    env = os.environ.copy()
    env["CUDA_DEVICE_ORDER"] = preset
    subprocess.run([sys.executable, "-m", "app"], env=env, check=True)
# output
path: tests/test_child.py
8 info: env["CUDA_DEVICE_ORDER"] = preset
