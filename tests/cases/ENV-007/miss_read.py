import os

assert os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS") == "1"
settings = {"CUDA_DEVICE_MAX_CONNECTIONS": "1"}
# output
