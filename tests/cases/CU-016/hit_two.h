#pragma once
#include <optix_stubs.h>
#include "nvshmem/nvshmem.h"
# output
2 build-fail: #include <optix_stubs.h>
3 build-fail: #include "nvshmem/nvshmem.h"
