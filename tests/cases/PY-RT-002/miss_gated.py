import os

import pytest
import torch

os.environ["TORCH_USE_CUDA_DSA"] = "0"
if not torch.version.hip:
    with pytest.raises(RuntimeError, match="device-side assert"):
        table[index]
# output
