import torch

device = "cuda:0"


def run(model, x, device="cuda"):
    return model.cuda()(x.half().cuda(non_blocking=True))
# output
3 works-as-is: "cuda:0"
6 works-as-is: "cuda"
7 works-as-is: model.cuda()
7 works-as-is: x.half().cuda(non_blocking=True)
