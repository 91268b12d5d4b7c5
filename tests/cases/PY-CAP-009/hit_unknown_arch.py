from torch import cuda


def supports_bfloat16():
    return cuda.get_device_capability() >= (8, 0)


ok = cuda.is_bf16_supported()
# output
5 info: cuda.get_device_capability() >= (8, 0)
8 info: cuda.is_bf16_supported()
