from deepspeed.ops import gds
from mylib import cufile

handle = gds.open("w.bin")
kvikio = None  # import kvikio
# output
