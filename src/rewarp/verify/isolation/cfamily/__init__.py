"""C, C++ and CUDA: what reaches NVIDIA's compiler, before and after."""
