import os

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
# output
target: gaudi
3 info: os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
