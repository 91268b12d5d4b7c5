def run(step):
    try:
        return step()
    except RuntimeError as e:
        if "CUDA out of memory" in str(e):
            return None
        if str(e).startswith("CUDA error"):
            raise SystemExit(1)
        if "cuda out of memory" not in str(e).lower():
            raise
# output
5 crash: "CUDA out of memory" in str(e)
7 info: str(e).startswith("CUDA error")
9 crash: "cuda out of memory" not in str(e).lower()
