from torch.backends.cuda import cufft_plan_cache as plans

before = plans.size
cache = plans[1]
cache.max_size = 4
# output
3 info: plans.size
5 info: cache.max_size = 4
