import torch

backend = "cuda"
print("cuda")
folder = {"path": "cuda"}
names = ["cuda", "cpu"]
device = "cuda" if torch.cuda.is_available() else "cpu"
device_type = "cuda" if "cuda" in device else "cpu"
x = torch.zeros(8, device="hpu")
url = "https://example.com/cuda"
# output
target: gaudi
