pip install "cupy_cuda11x==12.*" numpy
# output
1 crash: "cupy_cuda11x==12.*"
