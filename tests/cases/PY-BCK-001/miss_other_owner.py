import torch
import triton.language as tl
from mylib import backends


def configure(torch, args):
    torch.backends.cuda.matmul.allow_tf32 = True
    args.allow_tf32 = True
    backends.cuda.matmul.allow_tf32 = True
    return tl.dot(args.a, args.b, allow_tf32=True)


if torch.version.hip is None:
    torch.backends.cuda.matmul.allow_tf32 = True
# output
