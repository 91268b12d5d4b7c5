// Each program prints what it checked; a check that fails ends it.
#pragma once
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#define CHECK(what) do { if (!(what)) { printf("line %d: %s is not so\n", __LINE__, #what); exit(1); } } while (0)
#define FINE(call) do { hipError_t e_ = (call); if (e_ != hipSuccess) { printf("line %d: %s: %s\n", __LINE__, #call, hipGetErrorName(e_)); exit(1); } } while (0)
#define GIVES(error, call) do { hipError_t e_ = (call); if (e_ != error) { printf("line %d: %s gives %s\n", __LINE__, #call, hipGetErrorName(e_)); exit(1); } CHECK(hipGetLastError() == error); CHECK(hipGetLastError() == hipSuccess); } while (0)
