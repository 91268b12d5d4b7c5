from typing import Literal

Profiler = Literal["torch", "cuda", "proton"]
parser.add_argument("--backend", choices=["cuda", "triton", "torch"])
# output
target: gaudi
