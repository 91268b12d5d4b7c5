import unittest

from mylib import has_cuda_capability, is_ampere, is_rocm
from torch.testing._internal.common_cuda import SM80OrLater

if not (has_cuda_capability(8, 9) or is_rocm()):
    raise RuntimeError("FP8 not supported")
print(is_ampere())
tile = 128 if is_ampere() else 64


class Tests(unittest.TestCase):
    @unittest.skipIf(not SM80OrLater, "needs SM80")
    def test_bf16(self):
        pass
# output
9 info: is_ampere()
13 info: SM80OrLater
