import os

os.environ["TORCH_USE_CUDA_DSA"] = "1"
try:
    lookup(index)
except RuntimeError as e:
    if "device-side assert triggered" in str(e):
        report()
# output
3 info: os.environ["TORCH_USE_CUDA_DSA"] = "1"
7 info: "device-side assert triggered" in str(e)
