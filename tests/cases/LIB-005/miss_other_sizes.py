import bitsandbytes as bnb
from transformers import BitsAndBytesConfig
from mylib import functional as F

q, s = bnb.functional.quantize_4bit(w, blocksize=128)
q, s = bnb.functional.quantize_4bit(w)
q, s = F.quantize_4bit(w, blocksize=64)
config = BitsAndBytesConfig(load_in_8bit=True)
optimizer = bnb.optim.AdamW8bit(model.parameters())
# output
