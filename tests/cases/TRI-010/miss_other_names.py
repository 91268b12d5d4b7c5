from tritonclient.http import InferenceServerClient
from .triton import kernels
from torch.utils import _triton

name = "import triton"  # import triton
# output
target: gaudi
