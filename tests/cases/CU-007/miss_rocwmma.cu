#ifdef USE_ROCM
#include <rocwmma/rocwmma.hpp>
namespace wmma = rocwmma;
#else
#include <mma.h>
namespace wmma = nvcuda::wmma;
#endif
wmma::fragment<wmma::matrix_a, 16, 16, 16, float, wmma::row_major> *unused;
# output
