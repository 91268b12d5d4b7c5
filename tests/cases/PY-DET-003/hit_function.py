from torch import cuda as gpu


def on_rocm(index=0):
    name = gpu.get_device_properties(index).name.lower()
    return name.startswith("amd") or "radeon" in name
# output
6 wrong-result: name.startswith("amd")
6 wrong-result: "radeon" in name
