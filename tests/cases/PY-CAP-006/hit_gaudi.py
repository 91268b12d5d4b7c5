import torch

n = torch.cuda.get_device_properties(0).multi_processor_count
# output
target: gaudi
3 crash: torch.cuda.get_device_properties(0).multi_processor_count
