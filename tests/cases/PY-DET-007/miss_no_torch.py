import tvm

target = tvm.device("rocm")
x = array.to("rocm")
# output
