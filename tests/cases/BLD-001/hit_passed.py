import subprocess

from torch.utils.cpp_extension import CUDA_HOME


def nvcc_version(cuda_dir):
    return subprocess.check_output([cuda_dir + "/bin/nvcc", "-V"], text=True)


version = nvcc_version(CUDA_HOME)
# output
path: setup.py
10 build-fail: nvcc_version(CUDA_HOME)
