def retry(error):
    message = str(error).lower()
    if "cuda out of memory" in message or "memory" in message:
        return True
    return "cuda out of memory" in message or "out of memory" in message
# output
