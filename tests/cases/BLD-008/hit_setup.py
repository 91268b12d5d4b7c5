import os
from setuptools import setup

NVCC = "/usr/local/cuda/bin/nvcc"
include = os.path.join("/usr/local/cuda-12.4", "include")
flags = ["-I/usr/local/cuda/include", "-L/usr/local/cuda/lib64"]
home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
rocm = "/opt/rocm/bin/hipcc"
setup(name="x")
# output
path: setup.py
4 build-fail: "/usr/local/cuda/bin/nvcc"
5 build-fail: "/usr/local/cuda-12.4"
6 build-fail: "-I/usr/local/cuda/include"
6 build-fail: "-L/usr/local/cuda/lib64"
7 info: "/usr/local/cuda"
8 info: "/opt/rocm/bin/hipcc"
