from cupy.fft.config import get_plan_cache

cufft_plan_cache = get_plan_cache()
cufft_plan_cache.max_size = 3
name = "torch.backends.cuda.cufft_plan_cache.max_size = 16"
# output
