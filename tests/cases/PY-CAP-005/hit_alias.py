from torch.cuda import get_gencode_flags as gencode

extra = {"nvcc": [gencode()]}
# output
3 crash: gencode()
