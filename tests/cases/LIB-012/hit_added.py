from onnxruntime import InferenceSession


def load(path, gpu):
    providers = ["CPUExecutionProvider"]
    if gpu:
        providers.insert(0, "CUDAExecutionProvider")
    session = InferenceSession(path, providers=["ROCMExecutionProvider"])
    return session, InferenceSession(path, None, ["CUDAExecutionProvider"] if gpu else providers)
# output
7 runs-on-cpu: "CUDAExecutionProvider"
8 runs-on-cpu: ["ROCMExecutionProvider"]
9 runs-on-cpu: ["CUDAExecutionProvider"]
