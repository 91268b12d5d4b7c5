import torch


def precision(device):
    return torch.float16 if device == "cuda" else torch.float32


def switches(device):
    if "cuda" in device:
        torch.backends.cudnn.benchmark = True
        torch.backends.cudnn.deterministic = False


def figures(device, row):
    if device.type == "cuda":
        row["name"] = torch.cuda.get_device_name(0)
        print("peak", torch.cuda.max_memory_allocated())


def moved(model, device):
    if device == "cuda":
        model = model.cuda()
    return model


def array(x, device):
    return x.detach().cpu().numpy() if device.type == "cuda" else x.numpy()


def fused(x, device):
    if device.type == "cuda":
        return fast(x)
    return slow(x)
# output
target: gaudi
5 perf: device == "cuda"
9 info: "cuda" in device
15 info: device.type == "cuda"
21 runs-on-cpu: device == "cuda"
27 crash: device.type == "cuda"
31 perf: device.type == "cuda"
