import torch

is_rocm = torch.version.hip is not None
if torch.version.hip is None and "AMD" in torch.cuda.get_device_name():
    raise RuntimeError("CUDA build on an AMD machine")
print("AMD" in "torch.cuda.get_device_name()")
# output
