// What a project supplies itself, and what it only names, is no call of CUDA's runtime.
#define cudaFree(x) free(x)
void release(float *x) { cudaFree(x); }
const char *name() { return "cudaMalloc("; }
# output
target: gaudi
