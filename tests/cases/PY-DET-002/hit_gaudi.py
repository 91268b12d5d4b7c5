import torch

props = torch.cuda.get_device_properties("cuda")
big = props.name == "NVIDIA A100-SXM4-80GB"
# output
target: gaudi
4 info: props.name == "NVIDIA A100-SXM4-80GB"
