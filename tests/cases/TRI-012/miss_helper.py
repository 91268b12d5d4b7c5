import triton


def is_cuda():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


def stages():
    return 4 if triton.runtime.driver.active.get_current_target().backend == "cuda" else 2
# output
