PEAK_FLOPS = {
    "A100": 312e12,
    "H100 SXM": 989e12,
    "RTX 4090": 165.2e12,
    "default": 100e12,
}

BANDWIDTH = dict([("x", 1)])
MEMORY = {"NVIDIA L4": {"gb": 24}, "Tesla T4": {"gb": 16}}
# output
1 wrong-result: {
9 wrong-result: {"NVIDIA L4": {"gb": 24}, "Tesla T4": {"gb": 16}}
