def place(device):
    match device:
        case "cpu" | "cuda":
            return device
        case _:
            raise ValueError(device)
# output
target: gaudi
3 crash: "cuda"
