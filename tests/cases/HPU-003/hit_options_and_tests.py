import argparse
import os

import pytest
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
place = os.environ.get("MODEL_DEVICE", "cuda:0")
dtype, device = torch.float16, "cuda"
devices = ["cuda:0", "cuda:1"]


def make(size, kind, device):
    return torch.zeros(size, device=device)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", id="gpu")])
@pytest.mark.parametrize("backend", ["cuda", "cpu", "file://cache/"])
def test_store(device, backend):
    make(8, "kv", "cuda")


@pytest.mark.parametrize("backend", ["cuda", "redis://localhost"])
def test_remote(backend):
    pass
# output
target: gaudi
8 crash: "cuda"
9 crash: "cuda:0"
10 crash: "cuda"
11 crash: "cuda:0"
11 crash: "cuda:1"
18 crash: "cuda"
19 crash: "cuda"
21 crash: "cuda"
24 crash: "cuda"
