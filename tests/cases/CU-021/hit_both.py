BARRIER = {
    "nvptx": "llvm.nvvm.barrier0",
    "amdgpu": "llvm.amdgcn.s.barrier",
}
# output
2 info: "llvm.nvvm.barrier0"
