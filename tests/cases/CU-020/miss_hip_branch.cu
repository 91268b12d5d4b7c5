__global__ void add(float* x) {}
void run(float* x) {
#ifdef __HIP_PLATFORM_AMD__
  add<<<1, 32>>>(x);
#else
  add << <1, 32 >> >(x);
#endif
}
const char* text = "a << <1>> >";
int shifted(int a) { return a << 2 < 3; }
# output
