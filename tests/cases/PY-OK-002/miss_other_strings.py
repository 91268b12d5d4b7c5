import torch

x = torch.zeros(2, device="cpu")
y = x.to("hip")
kind = "cuda"
platform = {"device": "cuda"}
client.connect(device="cuda")
z = x.to(torch.float16)
# output
