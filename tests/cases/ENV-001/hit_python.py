import os
from os import getenv

ids = os.environ["CUDA_VISIBLE_DEVICES"].split(",")
count = len(getenv("CUDA_VISIBLE_DEVICES", "").split(","))
if "CUDA_VISIBLE_DEVICES" in os.environ:
    pass
# output
4 info: os.environ["CUDA_VISIBLE_DEVICES"]
5 info: getenv("CUDA_VISIBLE_DEVICES", "")
6 info: "CUDA_VISIBLE_DEVICES" in os.environ
