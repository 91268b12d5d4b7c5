// compile: no, the default has to be moved by hand
#include <cuda_runtime.h>

template <typename T>
struct Table {
  double load(int flag);
  void clear(T value = T(0));
  bool same(int a, int b);
};
template <typename T>
double Table<T>::load(int flag = 0) {
  return flag ? 1 : 0.5;
}
template <typename T>
void Table<T>::clear(T value) {}
template <typename T>
bool Table<T>::same(int a, int b) {
  return a == b;
}
template <typename T>
void fill(T* out, int n = 4) {
  if (Table<T>::limit(n == 3)) {
    cudaMemset(out, 0, n);
  }
}
// ---- HIP ----
#include <hip/hip_runtime.h>

template <typename T>
struct Table {
  double load(int flag);
  void clear(T value = T(0));
  bool same(int a, int b);
};
template <typename T>
double Table<T>::load(int flag = 0) {
  return flag ? 1 : 0.5;
}
template <typename T>
void Table<T>::clear(T value) {}
template <typename T>
bool Table<T>::same(int a, int b) {
  return a == b;
}
template <typename T>
void fill(T* out, int n = 4) {
  if (Table<T>::limit(n == 3)) {
    hipMemset(out, 0, n);
  }
}
// ---- findings ----
// 10 unsupported load
