from torch.utils.cpp_extension import CUDA_HOME


def find_compiler(cuda_dir):
    return "c++" if cuda_dir is None else cuda_dir + "/bin/nvcc"


compiler = find_compiler(CUDA_HOME)
print(CUDA_HOME)
# output
path: setup.py
