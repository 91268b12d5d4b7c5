import torch
from torch.cuda.green_contexts import GreenContext

if torch.version.cuda is not None:
    ctx = GreenContext.create(num_sms=32)


def run(ctx: GreenContext) -> None:
    ctx.set_context()
# output
