import torch

if torch.version.cuda is not None:
    major = int(torch.version.cuda.split(".")[0])
minor = torch.version.cuda.split(".")[1] if torch.version.cuda else "0"
print("CUDA:", torch.version.cuda)
# output
