import torch

cap = torch.cuda.get_device_capability()
print(f"sm_{cap[0]}{cap[1]}")
if torch.version.hip is None:
    flag = f"-arch=sm_{cap[0]}{cap[1]}"
else:
    flag = "--offload-arch=" + torch.cuda.get_device_properties(0).gcnArchName
raise RuntimeError(f"no kernel for sm_{cap[0]}{cap[1]}, rebuild with nvcc")
# output
