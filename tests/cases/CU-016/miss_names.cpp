#include "optics.h"
#include "my_npp.h"
// #include <NvInfer.h>
const char *header = "optix.h";
# output
