from torch._inductor import config

with config.patch({"triton.cudagraphs": True}):
    pass
setattr(config.triton, "cudagraphs", True)
# output
3 info: "triton.cudagraphs"
5 info: setattr(config.triton, "cudagraphs", True)
