#include "my_cutlass_like/gemm.h"
#include "ck_tile/core.hpp"
// #include <cutlass/cutlass.h>

namespace acute { int angle = 45; }
int cute = acute::angle;
# output
