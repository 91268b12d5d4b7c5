def place(device, path):
    match device:
        case "cpu" | "cuda":
            return device
        case _:
            return path
# output
target: gaudi
3 perf: "cuda"
