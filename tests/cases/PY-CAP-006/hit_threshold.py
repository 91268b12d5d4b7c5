import torch

props = torch.cuda.get_device_properties(0)
big = props.multi_processor_count >= 68


def sms(device):
    return torch.cuda.get_device_properties(device).multi_processor_count


if sms(0) < 108:
    splits = 4
# output
4 perf: props.multi_processor_count >= 68
11 perf: sms(0) < 108
