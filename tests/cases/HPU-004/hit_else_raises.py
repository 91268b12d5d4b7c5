import torch


def floor(image, x):
    if image.device.type == "cuda":
        low = torch.floor(x).type(torch.cuda.LongTensor)
    elif image.device.type == "cpu":
        low = torch.floor(x).type(torch.LongTensor)
    else:
        raise ValueError("device not recognized")
    return low


def ceil(image, x):
    if image.device.type == "cuda":
        high = torch.ceil(x).type(torch.cuda.LongTensor)
    elif x.dim() == 1:
        high = torch.ceil(x)
    else:
        raise ValueError("shape not recognized")
    return high
# output
target: gaudi
5 crash: image.device.type == "cuda"
15 perf: image.device.type == "cuda"
