#include <string>

std::string triple(bool amd) { return amd ? "amdgcn-amd-amdhsa" : "nvptx64-nvidia-cuda"; }
# output
3 info: "nvptx64-nvidia-cuda"
