import onnxruntime as ort

providers = ["CPUExecutionProvider"]
if "CUDAExecutionProvider" in ort.get_available_providers():
    providers = ["CUDAExecutionProvider"] + providers
print("CUDAExecutionProvider is best")
# output
