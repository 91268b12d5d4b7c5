#pragma once
#include <cuda.h>
struct Parameters {
  CUtexObject light;
};
# output
4 info: CUtexObject
