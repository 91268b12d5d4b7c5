import bitsandbytes as bnb

q, s = bnb.functional.quantize_4bit(w, blocksize=64)
# output
arch: gfx1201
