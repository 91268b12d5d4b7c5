FLOPS = {"V100": 125e12, "A100": 312e12, "MI300X": 1307e12}
# output
target: gaudi
1 wrong-result: {"V100": 125e12, "A100": 312e12, "MI300X": 1307e12}
