from vllm.platforms import current_platform

if current_platform.is_cuda():
    backend = "flash"
probe = current_platform.is_cuda
text = "x.is_cuda"  # x.is_cuda
# output
target: gaudi
