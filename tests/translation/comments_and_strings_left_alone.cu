#include <cuda_runtime.h>
#include <cstdio>

// cudaMalloc and cudaFree belong together; see <cuda_runtime.h>.
/* cudaMemcpy(dst, src, n, cudaMemcpyHostToDevice);
   __global__ void old() { cudaDeviceSynchronize(); } */
const char* text = "cudaMalloc failed: \"cudaErrorMemoryAllocation\" \
cudaFree";
const char* raw = R"doc(cudaMalloc(") cudaStream_t #include <cuda.h> )doc";
const wchar_t* wide = L"cudaStream_t";
const char* joined = "cuda" "Malloc";
char quote = '"', slash = '\\', one_more = '\'';
int millions = 1'000'000;  // a digit separator, and not the beginning of 'cudaFree'
// a comment that goes on \
   cudaThreadSynchronize();
void done() { cudaDeviceSynchronize(); /* cudaDeviceSynchronize */ std::printf("%s", text); }
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <cstdio>

// cudaMalloc and cudaFree belong together; see <cuda_runtime.h>.
/* cudaMemcpy(dst, src, n, cudaMemcpyHostToDevice);
   __global__ void old() { cudaDeviceSynchronize(); } */
const char* text = "cudaMalloc failed: \"cudaErrorMemoryAllocation\" \
cudaFree";
const char* raw = R"doc(cudaMalloc(") cudaStream_t #include <cuda.h> )doc";
const wchar_t* wide = L"cudaStream_t";
const char* joined = "cuda" "Malloc";
char quote = '"', slash = '\\', one_more = '\'';
int millions = 1'000'000;  // a digit separator, and not the beginning of 'cudaFree'
// a comment that goes on \
   cudaThreadSynchronize();
void done() { hipDeviceSynchronize(); /* cudaDeviceSynchronize */ std::printf("%s", text); }
