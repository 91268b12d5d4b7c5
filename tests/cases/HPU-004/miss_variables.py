import os


def reproducible(device):
    if device == "cuda":
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
# output
target: gaudi
5 info: device == "cuda"
