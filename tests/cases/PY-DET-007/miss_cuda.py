import torch

device = torch.device("cuda" if torch.version.hip else "cpu")
backend = "hip"
kernel = compile_kernel(source, device="hip")
names = {"rocm": 1}
print("device=hip", "rocm")
# output
