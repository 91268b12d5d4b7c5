// Text printed by the GPU, by one thread at a time so that the order is the program's.
#include "common.h"

__global__ void greet(int number, float value, double exact, const char *name) {
    if (threadIdx.x == 5) printf("kernel %d of block %u: %.3f %.10f %s\n", number, blockIdx.x, value, exact, name);
}

__global__ void formats(long long big, unsigned char byte) {
    printf("%d %i %u %x %X %o\n", -42, 42, 42u, 255u, 255u, 8u);
    printf("%lld %llu %llx\n", big, (unsigned long long)big, (unsigned long long)big);
    printf("%5d|%-5d|%05d|%+d\n", 42, 42, 42, 42);
    printf("%8.2f|%-8.2f|%e|%g\n", 3.14159, 2.71828, 12345.678, 0.0001);
    printf("%c%c%c %% %s\n", 'a', 'b', byte, "text");
}

__global__ void by_turns(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
        if (threadIdx.x == turn) printf("turn %d thread %d\n", turn, (int)threadIdx.x);
        __syncthreads();
    }
}

int main() {
    static const char text[] = "a name from the host";
    char *name;
    CHECK(cudaMalloc(&name, sizeof(text)));
    CHECK(cudaMemcpy(name, text, sizeof(text), cudaMemcpyHostToDevice));
    greet<<<1, 32>>>(1, 1.5f, 0.1, name);
    CHECK_KERNEL();
    greet<<<1, 32>>>(2, -2.25f, 1e-5, name);
    CHECK_KERNEL();
    formats<<<1, 1>>>(-1234567890123ll, 'c');
    CHECK_KERNEL();
    by_turns<<<1, 96>>>(4);
    CHECK_KERNEL();
    std::printf("done int 1\n");
    return 0;
}
