import mylib
import torch

mylib.cuda._sleep(10)
torch._C._set_deterministic_algorithms(True)
if torch.version.hip is None:
    torch.cuda._extract_arch_version("sm_90")
text = "torch._C._cuda_getDeviceCount"
# output
