from mypackage.device import get_torch_device

if "AMD" in get_torch_device().get_device_name():
    workers = 1
# output
3 crash: "AMD" in get_torch_device().get_device_name()
