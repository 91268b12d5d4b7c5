nvcc = "-DWITH_CUDA"
pairs = [("WITH_CUDA", None)]
print("define_macros", pairs)
# output
