#include <llvm/MC/TargetRegistry.h>

const llvm::Target *find(std::string &error, int bits) {
  if (error == "nvptx64-nvidia-cuda")
    return nullptr;
  return llvm::TargetRegistry::lookupTarget(bits == 32 ? "nvptx-nvidia-cuda" : "nvptx64-nvidia-cuda", error);
}
# output
6 crash: "nvptx-nvidia-cuda"
