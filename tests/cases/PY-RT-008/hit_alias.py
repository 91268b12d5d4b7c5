from torch.cuda import _compile_kernel as build

kernel = build(text, "scale", nvcc_options=["-lineinfo"], auto_pch=True)
# output
3 crash: build(text, "scale", nvcc_options=["-lineinfo"], auto_pch=True)
