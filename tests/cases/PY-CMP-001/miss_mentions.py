import argparse

import torch

MODES = ["default", "reduce-overhead"]
parser = argparse.ArgumentParser()
parser.add_argument("--mode", choices=MODES, help="mode=reduce-overhead uses graphs")
args = parser.parse_args()
if args.mode == "reduce-overhead":
    print("graphs")
model = torch.compile(torch.nn.Linear(8, 8), mode="default")
# model = torch.compile(model, mode="reduce-overhead")
# output
torch: 2.10
rocm: 7.0
