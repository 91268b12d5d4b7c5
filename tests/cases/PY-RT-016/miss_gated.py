import torch

if torch.version.hip is None:
    import pycuda.driver as drv

    external = drv.Stream(torch.cuda.current_stream().cuda_stream)
decoder(cuda_stream=0)
# output
