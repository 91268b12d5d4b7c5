import os

from platforms import is_rocm

if not is_rocm():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
# output
