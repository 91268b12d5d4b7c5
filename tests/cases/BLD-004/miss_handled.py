import os
import shutil
import subprocess

import torch

try:
    subprocess.check_output(["nvcc", "--version"])
except (FileNotFoundError, subprocess.CalledProcessError):
    pass
os.system("nvcc --version")
if torch.version.hip is None:
    subprocess.check_output(["nvcc", "--version"])
if shutil.which("nvcc"):
    print("nvcc")
# output
8 info: subprocess.check_output(["nvcc", "--version"])
11 info: os.system("nvcc --version")
