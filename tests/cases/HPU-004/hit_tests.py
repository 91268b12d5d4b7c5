import argparse
from typing import Literal

Device = Literal["cpu", "cuda"]


def check(x, device):
    assert x.device.type == "cuda"
    if device != "cuda":
        raise ValueError(device)
    return str(device).startswith("cuda") or x.device.type in ("cuda", "xpu")


parser = argparse.ArgumentParser()
parser.add_argument("--device", choices=["cpu", "cuda"])
# output
target: gaudi
4 perf: Literal["cpu", "cuda"]
8 crash: x.device.type == "cuda"
9 crash: device != "cuda"
11 perf: str(device).startswith("cuda")
11 perf: x.device.type in ("cuda", "xpu")
15 perf: ["cpu", "cuda"]
