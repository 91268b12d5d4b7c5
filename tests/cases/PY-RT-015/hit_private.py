import torch
from torch import _C
from torch.cuda import _lazy_init

torch.cuda._sleep(1000)
arch = torch.cuda._extract_arch_version(name)
count = torch.cuda._device_count_nvml()
stream = _C._cuda_getCurrentRawStream(0)
# output
3 info: from torch.cuda import _lazy_init
5 info: torch.cuda._sleep
6 crash: torch.cuda._extract_arch_version
7 wrong-result: torch.cuda._device_count_nvml
8 info: _C._cuda_getCurrentRawStream
