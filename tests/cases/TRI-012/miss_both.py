import triton

backend = triton.runtime.driver.active.get_current_target().backend
assert backend in ("cuda", "hip")
if backend not in ["cuda", "hip", "xpu"]:
    raise RuntimeError(backend)
if backend == "cuda":
    print("get_current_target")
elif backend != "hip":
    raise RuntimeError(backend)
assert other.backend == "cuda"
# output
