import torch.utils.cpp_extension as cpp

flags = ["-std=gnu++17"]
cpp.load("x", ["x.cpp"], extra_cflags=flags)
# output
3 info: "-std=gnu++17"
