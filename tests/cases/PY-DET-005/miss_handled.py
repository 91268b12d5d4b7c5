import torch


def build():
    if "+cu" in torch.__version__:
        return "cuda"
    if "+rocm" in torch.__version__:
        return "rocm"
    return "cpu"


def circuit(version):
    return "cu" in version
# output
