#include <cuda.h>
void load(const void *image) {
  CUlibrary library;
  CUkernel kernel;
  CUlaunchConfig config{};
  cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
# output
3 build-fail: CUlibrary
