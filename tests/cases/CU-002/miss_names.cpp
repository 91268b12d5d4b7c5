// cuModuleLoadData(&module, image)
#include "custom.h"

const char *text = "cuInit failed";
int cuMyOwnThing = 1;
int customInit() { return cuMyOwnThing; }
#define CUDA_CHECK(x) (x)
# output
