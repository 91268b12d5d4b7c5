import argparse


def check(x):
    assert x.device.type in ("cuda", "hpu")
    return x.device.type == "cuda"


parser = argparse.ArgumentParser()
parser.add_argument("--device", choices=["cpu", "cuda", "hpu"])
# output
target: gaudi
