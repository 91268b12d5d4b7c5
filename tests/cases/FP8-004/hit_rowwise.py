import torch

out = torch._scaled_mm(a, b, scale_a=sa.unsqueeze(1), scale_b=sb.unsqueeze(0), out_dtype=torch.bfloat16)
out = torch._scaled_mm(a, b, sa[:, None], sb[None, :])
out = torch._scaled_mm(a, b, scale_a=one, scale_b=one, use_fast_accum=True)
# output
3 crash: torch._scaled_mm(a, b, scale_a=sa.unsqueeze(1), scale_b=sb.unsqueeze(0), out_dtype=torch.bfloat16)
4 crash: torch._scaled_mm(a, b, sa[:, None], sb[None, :])
5 info: torch._scaled_mm(a, b, scale_a=one, scale_b=one, use_fast_accum=True)
