import torch
from packaging.version import Version


def is_cpu(torch_version):
    return "+cu" not in torch_version


suffix = torch.__version__.partition("+")[2]
cuda_wheel = suffix.startswith("cu1")
# output
target: gaudi
6 wrong-result: "+cu" not in torch_version
10 wrong-result: suffix.startswith("cu1")
