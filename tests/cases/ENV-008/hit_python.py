import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
# output
3 info: os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
