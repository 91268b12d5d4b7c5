#include <nvjpeg.h>
#include "helper_cuda.h"
# output
2 build-fail: #include "helper_cuda.h"
