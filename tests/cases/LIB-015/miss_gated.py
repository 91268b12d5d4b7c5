import pytest
import torch

if torch.version.hip is None:
    import cudf
# output
