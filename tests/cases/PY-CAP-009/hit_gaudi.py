import torch

bf16 = torch.cuda.is_bf16_supported()
# output
target: gaudi
3 perf: torch.cuda.is_bf16_supported()
