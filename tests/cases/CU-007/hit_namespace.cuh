template <typename T>
using Accumulator = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, T>;
# output
2 build-fail: nvcuda
