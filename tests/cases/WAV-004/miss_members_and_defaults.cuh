template <typename T> __device__ T shuffle_up(T v, unsigned by, int width = warpSize) { return __shfl_up_sync(~0ull, v, by, width); }
template <typename T> __device__ T draw(T v, int width = 32) { return v * width; }
struct Page { int mLineWidth = 32; };
# output
