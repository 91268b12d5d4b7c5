import os
import subprocess
from pathlib import Path


def cuda_version(home):
    nvcc = os.path.join(home, "bin", "nvcc")
    return subprocess.check_output([nvcc, "-V"], text=True)


def cuda_release(home):
    return subprocess.run([home + "/bin/nvcc", "-V"], capture_output=True)


def cuda_third(home):
    return subprocess.check_output([str(Path(home) / "bin" / "nvcc"), "--version"])
# output
target: gaudi
8 crash: subprocess.check_output([nvcc, "-V"], text=True)
12 crash: subprocess.run([home + "/bin/nvcc", "-V"], capture_output=True)
16 crash: subprocess.check_output([str(Path(home) / "bin" / "nvcc"), "--version"])
