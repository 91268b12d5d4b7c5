pip3 install onnxruntime_gpu --no-deps
# output
target: gaudi
1 crash: onnxruntime_gpu
