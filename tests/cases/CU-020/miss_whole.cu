__global__ void add(float* x) {}
// add << <1, 32>> >(x) would stop the HIP compiler
void run(float* x) { add<<<1, 32>>>(x); }
# output
