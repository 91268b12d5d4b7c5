from torch import cuda as gpu

built = gpu.get_arch_list()
if "sm_90" not in built:
    print("no Hopper kernels")
last = built[-1].replace("sm_", "")
# output
4 wrong-result: "sm_90" not in built
6 crash: built[-1].replace("sm_", "")
