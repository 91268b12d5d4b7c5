import cupy
# output
target: gaudi
1 crash: import cupy
