#include <cuda_runtime.h>

struct Graph {
  int vertices;
};

__global__ void k(float *x) { x[0] = 1; }

int sum(int n) {
  Graph graph;
  graph.vertices = n;
  int two[n] = {1, n};
  int matrix[graph.vertices][graph.vertices] = {
    {0, 1},  // a row
    {1},
  };
  int fixed[2][2] = {{1, 2}, {3, 4}};
  return two[1] + matrix[0][1] + fixed[0][0];
}
// ---- HIP ----
#include <hip/hip_runtime.h>

struct Graph {
  int vertices;
};

__global__ void k(float *x) { x[0] = 1; }

int sum(int n) {
  Graph graph;
  graph.vertices = n;
  int two[n]; memset(two, 0, sizeof(two)); { const int two_values[] = {1, n}; memcpy(two, two_values, sizeof(two_values)); };
  int matrix[graph.vertices][graph.vertices]; memset(matrix, 0, sizeof(matrix)); { const int matrix_values[][2] = {
    {0, 1},  // a row
    {1},
  }; for (auto& row : matrix_values) memcpy(matrix[&row - matrix_values], row, sizeof(row)); };
  int fixed[2][2] = {{1, 2}, {3, 4}};
  return two[1] + matrix[0][1] + fixed[0][0];
}
