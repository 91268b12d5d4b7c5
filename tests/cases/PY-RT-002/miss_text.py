import torch

# index out of range gives a device-side assert
print("a device-side assert may follow")
torch._assert(x.dim() == 2, "two dimensions")
# output
