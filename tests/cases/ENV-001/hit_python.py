import os
from os import getenv

ids = os.environ["CUDA_VISIBLE_DEVICES"].split(",")
count = len(getenv("CUDA_VISIBLE_DEVICES", "").split(","))
if "CUDA_VISIBLE_DEVICES" in os.environ:
    pass
# output
4 wrong-result: os.environ["CUDA_VISIBLE_DEVICES"]
5 wrong-result: getenv("CUDA_VISIBLE_DEVICES", "")
6 wrong-result: "CUDA_VISIBLE_DEVICES" in os.environ
