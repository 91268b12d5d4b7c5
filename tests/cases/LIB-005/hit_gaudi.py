from transformers import BitsAndBytesConfig

config = BitsAndBytesConfig(load_in_4bit=True)
# output
target: gaudi
3 info: BitsAndBytesConfig(load_in_4bit=True)
