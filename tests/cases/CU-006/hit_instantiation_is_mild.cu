#include "launch_template.h"

template void run<cutlass::half_t, 128>(Params &params);
# output
3 info: cutlass::
