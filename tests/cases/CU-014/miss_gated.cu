#if !defined(USE_ROCM)
#include <device_launch_parameters.h>
#endif
#include "my_device_launch_parameters.h"
# output
