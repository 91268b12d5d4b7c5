import unittest

import pytest
import torch
from torch.testing._internal.common_utils import TEST_WITH_ROCM, skipIfRocm

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(torch.version.hip is not None, reason="NVIDIA only")]
nvidia_only = pytest.mark.skipif(torch.version.hip is not None, reason="NVIDIA only")


class Kernels(unittest.TestCase):
    @skipIfRocm
    def test_bare(self):
        self.assertGreaterEqual(torch.cuda.get_device_capability(), (9, 0))

    @unittest.skipIf(TEST_WITH_ROCM, "NVIDIA only")
    def test_named(self):
        assert torch.cuda.get_device_capability() >= (9, 0)


@nvidia_only
def test_mark_under_a_name():
    assert torch.cuda.get_device_capability()[0] >= 9


def test_by_the_mark_of_the_file():
    assert torch.cuda.get_device_capability()[0] == 9
# output
