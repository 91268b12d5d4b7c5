import torch
from torch.cuda.amp import GradScaler, autocast as mixed

scaler = GradScaler()


@mixed()
def forward(model, x):
    return model(x)


class Fused(torch.autograd.Function):
    @staticmethod
    @torch.cuda.amp.custom_fwd
    def forward(ctx, x):
        return x
# output
target: gaudi
4 info: GradScaler
7 perf: mixed
14 info: torch.cuda.amp.custom_fwd
