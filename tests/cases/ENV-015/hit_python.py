import os

flags = [f"-DWITH_SM_{arch}" for arch in os.environ["TORCH_CUDA_ARCH_LIST"].split(";")]
include = os.path.join(os.environ.get("CUDA_HOME"), "include")
# output
3 crash: os.environ["TORCH_CUDA_ARCH_LIST"]
4 crash: os.environ.get("CUDA_HOME")
