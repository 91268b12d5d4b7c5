import pynvml as nv


def memory():
    from pynvml import nvmlInit, nvmlShutdown

    nvmlInit()
    nv.nvmlDeviceGetCount()
# output
1 crash: import pynvml as nv
5 crash: from pynvml import nvmlInit, nvmlShutdown
