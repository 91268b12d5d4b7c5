from torch import _scaled_mm as mm

out = mm(a, b, scale_a=sa, scale_b=sb)
# output
arch: gfx90a
3 crash: mm(a, b, scale_a=sa, scale_b=sb)
