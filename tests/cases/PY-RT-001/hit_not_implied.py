def retry(error):
    message = str(error)
    if "CUDA out of memory" in message and "memory" in message:
        return True
    return "CUDA error" in message or "timeout" in message
# output
3 crash: "CUDA out of memory" in message
5 crash: "CUDA error" in message
