from torchao.utils import is_sm_at_least_89
from mylib import platform


def fp8_linear(model):
    if not is_sm_at_least_89():
        raise RuntimeError("FP8 needs SM89")
    assert platform.has_device_capability(90)
    return model


def supported():
    if platform.is_hopper():
        return True
    else:
        return False
# output
6 perf: is_sm_at_least_89()
8 perf: platform.has_device_capability(90)
13 perf: platform.is_hopper()
