import torch
import onnxruntime as ort

providers = ["CUDAExecutionProvider", "CPUExecutionProvider"]
if torch.version.hip:
    providers = ["MIGraphXExecutionProvider", "CPUExecutionProvider"]
session = ort.InferenceSession("m.onnx", providers=providers)
# output
