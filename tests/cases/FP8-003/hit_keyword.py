import torch
import triton

kernel[grid](x, fp8_max=448.0)
y = torch.clamp(x, min=-448.0, max=448.0).to(fp8)
# output
arch: gfx942
4 wrong-result: 448.0
5 wrong-result: torch.clamp(x, min=-448.0, max=448.0)
