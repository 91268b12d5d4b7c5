import onnxruntime as ort

session = ort.InferenceSession("m.onnx", providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
providers = [("TensorrtExecutionProvider", {"device_id": 0}), "CUDAExecutionProvider"]
other = ort.InferenceSession("m.onnx", providers=providers)
# output
3 runs-on-cpu: ["CUDAExecutionProvider", "CPUExecutionProvider"]
4 runs-on-cpu: [("TensorrtExecutionProvider", {"device_id": 0}), "CUDAExecutionProvider"]
