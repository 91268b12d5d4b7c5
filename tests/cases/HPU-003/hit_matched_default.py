def open_store(chunk=256, backend: str = "cuda"):
    match backend:
        case "cpu" | "cuda":
            return backend
        case url:
            return url


def place(where="cuda"):
    if where == "cpu":
        return None
    return where
# output
target: gaudi
1 crash: "cuda"
9 crash: "cuda"
