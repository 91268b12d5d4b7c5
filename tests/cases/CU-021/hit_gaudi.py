BARRIER = {"nvptx": "llvm.nvvm.barrier0", "amdgpu": "llvm.amdgcn.s.barrier"}
TRIPLE = "nvptx64-nvidia-cuda"
# output
target: gaudi
1 crash: "llvm.nvvm.barrier0"
2 crash: "nvptx64-nvidia-cuda"
