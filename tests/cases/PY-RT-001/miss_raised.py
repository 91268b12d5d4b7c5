import logging

logging.warning("CUDA out of memory, retrying")
raise RuntimeError("CUDA error: cannot continue")


def f(e, job):
    if "out of memory" in str(e):
        return "CUDA out of memory"
    assert job["message"] == "CUDA out of memory"
    if "CUDA" in str(e):
        return None
# output
