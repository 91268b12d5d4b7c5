import torch

out = torch.ops.bitsandbytes.int8_scaled_mm(a, b, sa.unsqueeze(1), sb)
fn = "torch._scaled_mm"


class Ops:
    def _scaled_mm(self, a, b):
        return self._scaled_mm(a, b)
# output
