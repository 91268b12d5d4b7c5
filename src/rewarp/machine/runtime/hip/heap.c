// The heap that kernels' own malloc and new take from. AMD's device library keeps it; the runtime gives it memory, and
// starts it with the library's own function, for only that knows how the heap is laid out.
#include "state.h"
#include <hip/hiprtc.h>

// The library asks for slabs of 2 MiB, at addresses that are multiples of that, and the host for what is more
// (hostcalls.c): these are more at once than the 8 MiB of AMD's runtime.
enum { HEAP = 128 << 10, SLAB = 2 << 20, SLABS = 128 };

static const char SOURCE[] =
    "extern \"C\" __device__ void __ockl_dm_init_v1(unsigned long, unsigned long, unsigned, unsigned);\n"
    "extern \"C\" __global__ void heap(unsigned long heap, unsigned long slabs, unsigned size, unsigned count) {\n"
    "    __ockl_dm_init_v1(heap, slabs, size, count);\n"
    "}\n";

static hipError_t starter(Function **found) {
    hiprtcProgram program;
    hipModule_t module;
    size_t size;
    if (hiprtcCreateProgram(&program, SOURCE, "heap.hip", 0, 0, 0) || hiprtcCompileProgram(program, 0, 0)) return hipErrorNoBinaryForGpu;
    if (hiprtcGetCodeSize(program, &size)) return hipErrorNoBinaryForGpu;
    char *code = calloc(1, size + 1);
    hiprtcGetCode(program, code);
    hipError_t error = hipModuleLoadData(&module, code);
    free(code);
    return error == hipSuccess ? find_function(module, "heap", found) : error;
}

static hipError_t start(void **heap) {
    Function *f;
    void *memory;
    Launching l;
    hipError_t error = starter(&f);
    if (error == hipSuccess) error = allocate(heap, HEAP, DEVICE, 0, "the heap of kernels");
    if (error == hipSuccess) error = allocate(&memory, (u64)(SLABS + 1) * SLAB, DEVICE, 0, "memory that kernels allocate");
    if (error != hipSuccess) return error;
    u64 slabs = ((u64)memory + SLAB - 1) & ~(u64)(SLAB - 1);
    u32 size = HEAP, count = SLABS;
    void *parameters[] = {heap, &slabs, &size, &count};
    // Twice: without a barrier in between, one wave writes down what there is and others may clear that after it.
    for (int n = 0; n < 2 && error == hipSuccess; n++, size = 0) {
        error = prepare_launch(&l, f, (dim3){1, 1, 1}, (dim3){256, 1, 1}, 0, parameters, 0);
        l.is_ours = 1;
        if (error == hipSuccess) error = launch(&l), free(l.arguments);
    }
    wrote(*heap, HEAP);
    f->launches = 0;  // it is none of the program's
    return error;
}

u64 device_heap(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *heap;
    static int tried;
    pthread_mutex_lock(&lock);
    if (!tried) {
        tried = 1;
        hipError_t error = start(&heap);
        if (error != hipSuccess) say("kernels that allocate memory have no heap: %s", hipGetErrorString(error)), heap = 0;
    }
    pthread_mutex_unlock(&lock);
    return (u64)heap;
}
