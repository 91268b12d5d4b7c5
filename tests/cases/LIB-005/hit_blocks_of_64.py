import bitsandbytes as bnb
from bitsandbytes import functional as F
from bitsandbytes.functional import quantize_nf4

q, s = bnb.functional.quantize_4bit(w, blocksize=64, quant_type="nf4")
q, s = F.quantize_fp4(w, blocksize=64)
size = 64
q, s = quantize_nf4(w, blocksize=size)
# output
arch: gfx90a
5 wrong-result: 64
6 wrong-result: 64
8 wrong-result: size
