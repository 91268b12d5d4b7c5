import torch

ctx = torch.cuda.green_contexts.GreenContext.create(num_sms=32, device_id=0)
# output
3 crash: torch.cuda.green_contexts.GreenContext.create(num_sms=32, device_id=0)
