import onnxruntime as ort

session = ort.InferenceSession("m.onnx", providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
providers = [("TensorrtExecutionProvider", {"device_id": 0}), "CUDAExecutionProvider"]
other = ort.InferenceSession("m.onnx", providers=providers)
# output
3 perf: ["CUDAExecutionProvider", "CPUExecutionProvider"]
4 perf: [("TensorrtExecutionProvider", {"device_id": 0}), "CUDAExecutionProvider"]
