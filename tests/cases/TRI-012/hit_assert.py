import triton

assert triton.runtime.driver.active.get_current_target().backend == "cuda", "CUDA only"


def check():
    target = triton.runtime.driver.active.get_current_target()
    if target.backend != "cuda":
        raise RuntimeError("unsupported backend")
# output
3 crash: triton.runtime.driver.active.get_current_target().backend == "cuda"
8 crash: target.backend != "cuda"
