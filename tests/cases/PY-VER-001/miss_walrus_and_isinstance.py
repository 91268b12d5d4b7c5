import torch

if (release := torch.version.cuda) is not None:
    parts = release.split(".")
if cuda := torch.version.cuda:
    major = int(cuda.split(".")[0])

version = getattr(getattr(torch, "version", None), "cuda", None)
if not isinstance(version, str) or not version.strip():
    version = ""

label = str(torch.version.cuda) + "-build"
# output
