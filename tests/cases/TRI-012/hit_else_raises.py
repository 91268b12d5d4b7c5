from triton.runtime import driver


def pick():
    backend = driver.active.get_current_target().backend
    if backend not in ("cuda",):
        raise NotImplementedError(backend)
    if driver.active.get_current_target().backend == "cuda":
        return 1
    else:
        raise ValueError(backend)
# output
6 crash: backend not in ("cuda",)
8 crash: driver.active.get_current_target().backend == "cuda"
