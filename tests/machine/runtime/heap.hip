// Memory that kernels allocate: it lasts from one kernel to the next, and what is given back is used again.
#include "check.h"
#include <vector>
struct Item {
  int number;
  Item *next;
};
__global__ void take(Item **list, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Item *last = nullptr;
  for (int n = 0; n < count; n++) {
    Item *item = new Item{i + n, last};
    last = item;
  }
  list[i] = last;
}
__global__ void give(Item **list, long *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long sum = 0;
  for (Item *item = list[i]; item;) {
    Item *next = item->next;
    sum += item->number;
    delete item;
    item = next;
  }
  sums[i] = sum;
}
// More than the library's slabs hold: the host is asked.
__global__ void take_much(int **list, size_t size) {
  int i = threadIdx.x, last = size / 4 - 1;
  list[i] = static_cast<int *>(malloc(size));
  for (int n = 0; list[i] && n <= last; n += last) list[i][n] = i;
}
__global__ void give_much(int **list, size_t size, int *sums) {
  int i = threadIdx.x, last = size / 4 - 1;
  sums[i] = list[i] ? list[i][0] + list[i][last] : -1;
  free(list[i]);
}
void much(size_t size, int threads, int expected) {
  int **list, *sums, host[100];
  int *places[100];
  FINE(hipMalloc(&list, threads * sizeof *list));
  FINE(hipMalloc(&sums, threads * sizeof *sums));
  for (int round = 0; round < 40; round++) {  // more than there would be room for without giving back
    take_much<<<1, threads>>>(list, size);
    FINE(hipMemcpy(places, list, threads * sizeof *list, hipMemcpyDeviceToHost));
    give_much<<<1, threads>>>(list, size, sums);
    FINE(hipMemcpy(host, sums, threads * sizeof *sums, hipMemcpyDeviceToHost));
    for (int i = 0; i < threads; i++) {
      CHECK(host[i] == (expected ? expected : 2 * i));
      for (int j = 0; j < i && places[i]; j++) CHECK(labs((char *)places[i] - (char *)places[j]) >= long(size));
    }
  }
}
int main() {
  much(1 << 20, 70, 0);
  much(3000000, 5, 0);
  much(1ul << 40, 3, -1);
  const int threads = 200, count = 5;
  Item **list;
  long *sums;
  FINE(hipMalloc(&list, threads * sizeof *list));
  FINE(hipMalloc(&sums, threads * sizeof *sums));
  for (int round = 0; round < 3; round++) {
    take<<<2, threads / 2>>>(list, count);
    std::vector<Item *> places(threads);
    FINE(hipMemcpy(places.data(), list, threads * sizeof *list, hipMemcpyDeviceToHost));
    for (int i = 0; i < threads; i++) {
      CHECK(places[i]);
      for (int j = 0; j < i; j++) CHECK(places[i] != places[j]);
    }
    give<<<2, threads / 2>>>(list, sums);
    std::vector<long> all(threads);
    FINE(hipMemcpy(all.data(), sums, threads * sizeof *sums, hipMemcpyDeviceToHost));
    for (int i = 0; i < threads; i++) CHECK(all[i] == 5l * i + 10);
  }
  puts("heap: fine");
}
