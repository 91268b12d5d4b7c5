import torch
import triton


def run(kernel, a, pdl):
    extra = {"launch_pdl": True} if pdl else {}
    kernel[(1,)](a, **extra)
    kernel[(1,)](a, **({} if torch.version.hip else {"maxnreg": 128}))
    if torch.version.cuda is not None:
        kernel[(1,)](a, maxnreg=128)
# output
