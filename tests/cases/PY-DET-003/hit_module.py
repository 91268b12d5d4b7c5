import torch

IS_AMD = "AMD" in torch.cuda.get_device_name(0)
# output
3 crash: "AMD" in torch.cuda.get_device_name(0)
