#include <string>

std::string barrier(bool named) {
  return named ? "call void @llvm.nvvm.barrier.sync(i32 1)" : "call void @llvm.nvvm.barrier0()";
}

std::string head() { return "target triple = \"nvptx64-nvidia-cuda\"\n"; }
# output
4 build-fail: "call void @llvm.nvvm.barrier.sync(i32 1)"
