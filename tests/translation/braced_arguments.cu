#include <cuda_runtime.h>

struct Color {
  double v;
  __host__ __device__ Color(const double (&values)[3]) { v = values[0]; }
  __host__ __device__ Color(int hex) { v = hex; }
  __host__ __device__ Color(double r, double g, double b) { v = r + g + b; }
};
class Diffuse {
  const Color color;

 public:
  __host__ __device__ Diffuse(const Color& c) : color(c) {}
  __host__ __device__ Diffuse(const Color& c, int more) : color(c) {}
  __host__ __device__ Diffuse(const Diffuse& other) : color(other.color) {}
};
struct Count {
  int i;
  __host__ __device__ Count(int a) : i(a) {}
};
struct Either {
  __host__ __device__ Either(const Color& c) {}
  __host__ __device__ Either(int i) {}
};

__device__ int taken(Color c) { return c.v; }

__global__ void k(int* out) {
  auto a = new Diffuse({ 0xFF });
  auto b = new Diffuse({1., 2., 3.});
  Diffuse c({ 3 });
  Diffuse d({{1., 2., 3.}});
  auto e = new Diffuse({ 0xFF }, 2);
  Count f({ 3 });
  Either g({ 4 });
  out[0] = taken({ 1 }) + f.i + (a != b);
}
// ---- HIP ----
#include <hip/hip_runtime.h>

struct Color {
  double v;
  __host__ __device__ Color(const double (&values)[3]) { v = values[0]; }
  __host__ __device__ Color(int hex) { v = hex; }
  __host__ __device__ Color(double r, double g, double b) { v = r + g + b; }
};
class Diffuse {
  const Color color;

 public:
  __host__ __device__ Diffuse(const Color& c) : color(c) {}
  __host__ __device__ Diffuse(const Color& c, int more) : color(c) {}
  __host__ __device__ Diffuse(const Diffuse& other) : color(other.color) {}
};
struct Count {
  int i;
  __host__ __device__ Count(int a) : i(a) {}
};
struct Either {
  __host__ __device__ Either(const Color& c) {}
  __host__ __device__ Either(int i) {}
};

__device__ int taken(Color c) { return c.v; }

__global__ void k(int* out) {
  auto a = new Diffuse(Color{ 0xFF });
  auto b = new Diffuse({1., 2., 3.});
  Diffuse c(Color{ 3 });
  Diffuse d(Color{{1., 2., 3.}});
  auto e = new Diffuse({ 0xFF }, 2);
  Count f({ 3 });
  Either g({ 4 });
  out[0] = taken({ 1 }) + f.i + (a != b);
}
