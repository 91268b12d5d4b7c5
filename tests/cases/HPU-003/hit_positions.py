import torch

DEVICE = "cuda"
x = torch.zeros(8, device="cuda")
y = x.to("cuda:1")
state = torch.load("a.pt", map_location=torch.device("cuda"))
options = {"device": "cuda", "name": "cuda"}
# output
target: gaudi
3 crash: "cuda"
4 crash: "cuda"
5 crash: "cuda:1"
6 crash: "cuda"
7 crash: "cuda"
