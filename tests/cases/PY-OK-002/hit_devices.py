import torch

device = torch.device("cuda")
model.to("cuda")
x = torch.zeros(2, 3, device="cuda:0")
y = x.to(device=f"cuda:{rank}", non_blocking=True)
torch.set_default_device("cuda")
# output
3 works-as-is: "cuda"
4 works-as-is: "cuda"
5 works-as-is: "cuda:0"
6 works-as-is: f"cuda:{rank}"
7 works-as-is: "cuda"
