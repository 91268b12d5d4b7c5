pip3 install onnxruntime_gpu --no-deps
# output
target: gaudi
1 runs-on-cpu: onnxruntime_gpu
