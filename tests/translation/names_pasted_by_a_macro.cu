// A macro of the project's makes one name of two words.
#include <cuda_runtime.h>
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define OTHER(a, b) a + b

void take(void **p, int cuda) {
  CAT(cuda, Malloc)(p, 16);
  CAT_(cuda, Free)(*p);
  CAT( cuda , DeviceSynchronize )();
  int mine = OTHER(cuda, 1);
  (void)mine;
}
// ---- HIP ----
// A macro of the project's makes one name of two words.
#include <hip/hip_runtime.h>
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define OTHER(a, b) a + b

void take(void **p, int cuda) {
  CAT(hip, Malloc)(p, 16);
  CAT_(hip, Free)(*p);
  CAT( hip , DeviceSynchronize )();
  int mine = OTHER(cuda, 1);
  (void)mine;
}
