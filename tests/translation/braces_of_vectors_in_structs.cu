// A list may leave out the braces of vectors inside of a structure too.
#include <cuda_runtime.h>

struct Point {
  uint2 place;
  int weight;
};

typedef struct {
  float scale[2];
  float4 colour, border;
} Style;

struct Plain {
  int a, b;
};

__constant__ Point points[2] = {1u, 2u, 3, 4u, 5u, 6};
__constant__ Point rows[] = {{1, 2, 3}, {4, 5, 6}, {7}};
__constant__ Point braced[2] = {{{1, 2}, 3}, {{4, 5}, 6}};
__constant__ Style style = {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f};
__constant__ Plain plain[2] = {1, 2, 3, 4};

__global__ void k(Point *x, const uint2 *y) {
  Point one = {8, 9, 10};
  Point two{y[0], 2};
  x[0] = points[1];
  x[1] = one;
  x[2] = two;
  x[3].weight = rows[1].weight + braced[0].weight + plain[1].a + style.border.x;
}
// ---- HIP ----
// A list may leave out the braces of vectors inside of a structure too.
#include <hip/hip_runtime.h>

struct Point {
  uint2 place;
  int weight;
};

typedef struct {
  float scale[2];
  float4 colour, border;
} Style;

struct Plain {
  int a, b;
};

__constant__ Point points[2] = {{{1u, 2u}, 3}, {{4u, 5u}, 6}};
__constant__ Point rows[] = {{{1, 2}, 3}, {{4, 5}, 6}, {{7, 0}}};
__constant__ Point braced[2] = {{{1, 2}, 3}, {{4, 5}, 6}};
__constant__ Style style = {1.f, 2.f, {3.f, 4.f, 5.f, 6.f}, {7.f, 0, 0, 0}};
__constant__ Plain plain[2] = {1, 2, 3, 4};

__global__ void k(Point *x, const uint2 *y) {
  Point one = {{8, 9}, 10};
  Point two{y[0], 2};
  x[0] = points[1];
  x[1] = one;
  x[2] = two;
  x[3].weight = rows[1].weight + braced[0].weight + plain[1].a + style.border.x;
}
