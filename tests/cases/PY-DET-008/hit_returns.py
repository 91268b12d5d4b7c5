import torch as th


def infer_device():
    if th.version.cuda and th.cuda.is_available():
        return "cuda"
    elif th.xpu.is_available():
        return "xpu"
    else:
        return "cpu"


def get_device(device="cuda"):
    device = th.device(device)
    if device.type == th.device("cuda").type and not th.version.cuda:
        return th.device("cpu")
    return th.device("cuda")


def early():
    if th.version.cuda is not None:
        return "cuda"
    return "cpu"
# output
5 runs-on-cpu: th.version.cuda and th.cuda.is_available()
15 runs-on-cpu: device.type == th.device("cuda").type and not th.version.cuda
21 runs-on-cpu: th.version.cuda is not None
