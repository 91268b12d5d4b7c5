import os

level = os.environ.get("NCCL_DEBUG", "WARN")
# output
