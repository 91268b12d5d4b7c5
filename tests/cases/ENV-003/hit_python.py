import os
from os import environ

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
environ.setdefault("CUDA_VISIBLE_DEVICES", "1")
# output
rocm: 10.1
4 wrong-result: os.environ["CUDA_VISIBLE_DEVICES"] = "0"
5 wrong-result: environ.setdefault("CUDA_VISIBLE_DEVICES", "1")
