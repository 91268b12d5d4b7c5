import os

archs = os.environ.get("TORCH_CUDA_ARCH_LIST", "").split(";")
home = os.getenv("CUDA_HOME")
if "CUDA_HOME" in os.environ:
    include = os.path.join(os.environ["CUDA_HOME"], "include")
try:
    version = os.environ["CUDA_VERSION"]
except KeyError:
    version = None
# output
