"""Power and memory of one GPU, from NVML. Needs the extra: pip install warpnorm[monitor]"""

import pynvml


class Monitor:
    def __init__(self, index=0):
        pynvml.nvmlInit()
        self.handle = pynvml.nvmlDeviceGetHandleByIndex(index)

    def line(self):
        memory = pynvml.nvmlDeviceGetMemoryInfo(self.handle)
        watts = pynvml.nvmlDeviceGetPowerUsage(self.handle) / 1000
        load = pynvml.nvmlDeviceGetUtilizationRates(self.handle).gpu
        return f"{watts:.0f} W, {load} % busy, {memory.used / 2**30:.1f} of {memory.total / 2**30:.0f} GiB"
