import logging


def reraised(step):
    try:
        step()
    except RuntimeError as e:
        if "CUDA error" in str(e):
            raise RuntimeError("the device is gone") from e
        raise


def logged(step):
    try:
        step()
    except RuntimeError as e:
        if "CUDA out of memory" in str(e):
            logging.error("use a smaller batch")
        raise


def mended(step, size):
    try:
        step(size)
    except RuntimeError as e:
        if "CUDA out of memory" not in str(e):
            raise
        logging.warning("again")
        step(size // 2)
# output
8 info: "CUDA error" in str(e)
17 info: "CUDA out of memory" in str(e)
26 crash: "CUDA out of memory" not in str(e)
