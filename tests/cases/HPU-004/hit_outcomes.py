import torch
import pytest


def require(t):
    if t.device.type != "cuda":
        raise ValueError("needs a CUDA tensor")


def attention(q, mask):
    if q.device.type != "cuda" or mask is not None:
        return plain_attention(q)
    return fast_attention(q)


def test_it(device):
    if device not in ["cuda", "xpu"]:
        pytest.skip("no GPU")


def timed(device, x):
    if device == "cuda":
        torch.cuda.synchronize()
    kind = "gpu" if "cuda" in device else "cpu"
    return kind


parser.add_argument("--device", choices=["cuda:0", "cuda:1"])
# output
target: gaudi
6 crash: t.device.type != "cuda"
11 info: q.device.type != "cuda"
17 info: device not in ["cuda", "xpu"]
22 info: device == "cuda"
24 perf: "cuda" in device
28 perf: ["cuda:0", "cuda:1"]
