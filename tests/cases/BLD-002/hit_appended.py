import torch.utils.cpp_extension as cpp


def args(arch):
    cuda_flags = []
    cuda_flags.append("--generate-code=arch=compute_75,code=sm_75")
    cuda_flags += ["-arch", arch]
    cuda_flags.extend(["--gpu-architecture=sm_86"])
    return cuda_flags


module = cpp.CUDAExtension("m", ["m.cu"], extra_compile_args={"nvcc": args("sm_80")})
# output
6 build-fail: "--generate-code=arch=compute_75,code=sm_75"
7 build-fail: "-arch"
8 build-fail: "--gpu-architecture=sm_86"
