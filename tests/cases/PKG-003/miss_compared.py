def is_cuda(url):
    return url == "https://download.pytorch.org/whl/cu121" or url.startswith("https://download.pytorch.org/whl/cu12")
# output
