#include <nvjpeg.h>
#include "helper_cuda.h"
# output
1 build-fail: #include <nvjpeg.h>
2 build-fail: #include "helper_cuda.h"
