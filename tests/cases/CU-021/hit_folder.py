# The folder alone says nothing: without Triton there is nobody who chooses between folders.
BARRIER = "llvm.nvvm.barrier0"
# output
path: backend/cuda/barrier.py
2 build-fail: "llvm.nvvm.barrier0"
