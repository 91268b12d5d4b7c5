import pytest
import torch

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA only")
model.fit(use_gpu=torch.cuda.is_available())
# output
target: gaudi
4 info: torch.cuda.is_available()
5 wrong-result: torch.cuda.is_available()
