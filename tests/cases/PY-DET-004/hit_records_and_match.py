import torch

LIMITS = (
    Limit("H100", bandwidth=3.35e12, tflops={torch.float16: 989}),
    Limit("A100", bandwidth=2.0e12, tflops={torch.float16: 312}),
)
ROWS = [{"gpu": "V100", "gb": 32}, {"gpu": "T4", "gb": 16}]


def peak(name: str) -> float:
    match name.lower():
        case "h100":
            return 989e12
        case "a100":
            return 312e12
    return 0.0
# output
3 wrong-result: (
7 wrong-result: [{"gpu": "V100", "gb": 32}, {"gpu": "T4", "gb": 16}]
11 wrong-result: name.lower()
