from torch.utils.cpp_extension import CUDAExtension as Ext

module = Ext("pkg._C", ["a.cpp", "a.cu"])
# output
path: setup.py
3 works-as-is: Ext
