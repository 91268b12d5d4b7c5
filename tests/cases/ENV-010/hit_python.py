import os

os.environ["NCCL_IB_DISABLE"] = "1"
# output
target: gaudi
3 info: os.environ["NCCL_IB_DISABLE"] = "1"
