#include <cstdio>
#include <cstring>
#include <string>

// "llvm.nvvm.barrier0"
bool nvidias(const std::string &triple) {
  std::printf("for nvptx64-nvidia-cuda, that is with llvm.nvvm.barrier0\n");
  return triple == "nvptx64-nvidia-cuda" || "nvptx-nvidia-cuda" == triple || std::strcmp(triple.c_str(), "nvptx64-nvidia-cuda") == 0 ||
         triple.find("nvptx64-nvidia-cuda") == 0;
}

#ifndef USE_ROCM
const char *barrier = "llvm.nvvm.barrier0";
#endif
# output
