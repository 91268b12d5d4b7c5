// #if CUDA_VERSION >= 11000
/* #if CUDART_VERSION < 9000 */
const char* text = "#if CUDA_VERSION";
#if MY_CUDA_VERSION >= 11000
#include <x.h>
#endif
int v = CUDA_VERSION;
# output
