import torch as t

parts = [int(x) for x in t.version.hip.split(".")]
major, minor, patch = map(int, t.version.hip.split("."))
# output
3 build-fail: t.version.hip.split(".")
4 build-fail: t.version.hip.split(".")
