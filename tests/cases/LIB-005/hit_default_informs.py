from bitsandbytes.nn import Linear4bit
from transformers import BitsAndBytesConfig

layer = Linear4bit(64, 64)
config = BitsAndBytesConfig(load_in_4bit=True)
# output
4 info: Linear4bit(64, 64)
5 info: BitsAndBytesConfig(load_in_4bit=True)
