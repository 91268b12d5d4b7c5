// Kernels: launched through chevrons, hipLaunchKernel, modules; within the card's limits.
#include "state.h"
#include <time.h>

enum { THREADS = 1024 };
typedef struct Configuration {
    dim3 grid, block;
    size_t lds;
    hipStream_t stream;
} Configuration;
static __thread Configuration pushed[64];
static __thread int depth;

API hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds, hipStream_t stream) {
    CHECK(depth < 64, hipErrorInvalidValue);
    pushed[depth++] = (Configuration){grid, block, lds, stream};
    return hipSuccess;
}
API hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *lds, hipStream_t *stream) {
    CHECK(depth, hipErrorMissingConfiguration);
    Configuration c = pushed[--depth];
    *grid = c.grid, *block = c.block, *lds = c.lds, *stream = c.stream;
    return hipSuccess;
}

// The card's limits are the most common surprise of a port: the error code alone does not say which one it was.
static hipError_t beyond(const Function *f, u64 asked, const char *of_what, u64 limit, hipError_t error) {
    char text[1024];
    snprintf(text, sizeof text, "%s asks for %lu %s; the card gives %lu (%s)", f->name, asked, of_what, limit, hipGetErrorName(error));
    tell_limit(f->name, text);
    return error;
}

static hipError_t check_sizes(const Function *f, dim3 grid, dim3 block, u64 lds) {
    u64 threads = (u64)block.x * block.y * block.z;
    if (!threads || !grid.x || !grid.y || !grid.z) return hipErrorInvalidConfiguration;
    if (block.x > THREADS || block.y > THREADS || block.z > THREADS || threads > THREADS)
        return beyond(f, threads, "threads in a block", THREADS, hipErrorInvalidConfiguration);
    if (threads > f->kernel->max_threads)
        return beyond(f, threads, "threads, compiled for fewer", f->kernel->max_threads, hipErrorLaunchFailure);
    if ((u64)grid.x * block.x > ~0u || (u64)grid.y * block.y > ~0u || (u64)grid.z * block.z > ~0u) return hipErrorInvalidConfiguration;
    if (f->kernel->lds + lds > (u64)card()->lds_per_block)
        return beyond(f, f->kernel->lds + lds, "bytes of LDS", (u64)card()->lds_per_block, hipErrorInvalidValue);
    return hipSuccess;
}

hipError_t prepare_launch(Launching *made, Function *f, dim3 grid, dim3 block, u64 lds, void **parameters, void **extra) {
    hipError_t error = check_sizes(f, grid, block, lds);
    if (error != hipSuccess) return error;
    const Piece *pieces = core()->arguments(f->module->program, f->kernel);
    u64 size = 8;
    for (u32 n = 0; n < f->kernel->arguments; n++)
        if ((pieces[n].kind < ARGUMENT_HIDDEN || pieces[n].kind >= HIDDEN_HEAP) && pieces[n].offset + pieces[n].size > size) size = pieces[n].offset + pieces[n].size;
    u8 *data = calloc(1, size);
    if (extra) {
        const void *buffer = 0;
        size_t given = 0;
        for (u64 n = 0; extra[n] != HIP_LAUNCH_PARAM_END; n += 2) {
            if (extra[n] == HIP_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[n + 1];
            if (extra[n] == HIP_LAUNCH_PARAM_BUFFER_SIZE) given = *(size_t *)extra[n + 1];
        }
        if (buffer) memcpy(data, buffer, given < size ? given : size);
    } else {
        u32 at = 0;
        for (u32 n = 0; n < f->kernel->arguments; n++) {
            if (pieces[n].kind >= ARGUMENT_HIDDEN) continue;
            if (!parameters || !parameters[at]) {
                free(data);
                return hipErrorInvalidValue;
            }
            memcpy(data + pieces[n].offset, parameters[at++], pieces[n].size);
        }
    }
    u32 heap = 0;
    for (u32 n = 0; n < f->kernel->arguments; n++) heap |= pieces[n].kind == HIDDEN_HEAP;
    for (u32 n = 0; heap && n < f->kernel->arguments; n++) {
        if (pieces[n].kind == HIDDEN_HEAP) memcpy(data + pieces[n].offset, &(u64){device_heap()}, 8);
        if (pieces[n].kind == HIDDEN_HOSTCALL) memcpy(data + pieces[n].offset, &(u64){hostcalls()}, 8);
    }
    *made = (Launching){f, grid, block, (u32)lds, 0, data, size};
    return hipSuccess;
}

double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static u64 launched;
u64 all_launches(void) { return launched; }

hipError_t launch(const Launching *l) {
    Function *f = l->function;
    Request r = {f->number, l->cooperative, {l->grid.x, l->grid.y, l->grid.z}, {l->block.x, l->block.y, l->block.z}};
    r.dynamic_lds = l->lds, r.cores = settings()->cores, r.limit = settings()->limit;
    r.arguments = l->arguments, r.arguments_size = l->arguments_size;
    r.ranges = kernel_ranges(&r.range_count), r.name_of = range_name;
    r.watch = l->is_ours ? 0 : settings()->watch, r.order = settings()->order, r.has_blocks = 1, r.freed = freed_name, r.answer = answer_kernels;
    if (r.watch) r.fresh = kernel_fresh(&r.fresh_count);
    double start = now();
    watch_launch(f, &r);
    int reason = core()->launch(f->module->program, &r);
    watch_launch(f, 0);
    free((void *)r.ranges), free((void *)r.fresh);
    keep_seen(f, &r);
    free(r.seen);
    if (r.printed) {
        fwrite(r.printed, 1, r.printed_size, stdout);
        free(r.printed);
    }
    f->seconds += now() - start, f->launches++, launched++;
    f->waves += r.groups * ((r.block[0] * r.block[1] * r.block[2] + (u32)card()->lanes - 1) / (u32)card()->lanes);
    if (reason != REASON_NONE) give_up(f, &r);
    return hipSuccess;
}

static hipError_t submit_launch(Function *f, dim3 grid, dim3 block, u64 lds, void **parameters, void **extra, hipStream_t stream, u32 cooperative) {
    Task task = {TASK_LAUNCH};
    TRY(prepare_launch(&task.launch, f, grid, block, lds, parameters, extra));
    task.launch.cooperative = cooperative;
    hipError_t error = submit(stream, &task);
    if (!stream_of(stream)->graph) free(task.launch.arguments);
    return said(error);
}

API hipError_t hipLaunchKernel(const void *host, dim3 grid, dim3 block, void **parameters, size_t lds, hipStream_t stream) {
    Function *f;
    TRY(function_of(host, &f));
    return submit_launch(f, grid, block, lds, parameters, 0, stream, 0);
}
API hipError_t hipLaunchKernel_spt(const void *host, dim3 grid, dim3 block, void **parameters, size_t lds, hipStream_t stream) {
    return hipLaunchKernel(host, grid, block, parameters, lds, stream);
}
API hipError_t hipLaunchByPtr(const void *host) { return missing("hipLaunchByPtr"); }
API hipError_t hipExtLaunchKernel(const void *host, dim3 grid, dim3 block, void **parameters, size_t lds, hipStream_t stream, hipEvent_t start, hipEvent_t stop, int flags) {
    if (start) TRY(hipEventRecord(start, stream));
    TRY(hipLaunchKernel(host, grid, block, parameters, lds, stream));
    return stop ? hipEventRecord(stop, stream) : hipSuccess;
}
API hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned lds, hipStream_t stream, void **parameters, void **extra) {
    CHECK(f, hipErrorInvalidHandle);
    return submit_launch(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, lds, parameters, extra, stream, 0);
}
API hipError_t hipExtModuleLaunchKernel(hipFunction_t f, u32 wx, u32 wy, u32 wz, u32 bx, u32 by, u32 bz, size_t lds, hipStream_t stream, void **parameters, void **extra, hipEvent_t start, hipEvent_t stop, u32 flags) {
    CHECK(f && bx && by && bz && wx % bx == 0 && wy % by == 0 && wz % bz == 0, hipErrorInvalidValue);
    if (start) TRY(hipEventRecord(start, stream));
    TRY(submit_launch(f, (dim3){wx / bx, wy / by, wz / bz}, (dim3){bx, by, bz}, lds, parameters, extra, stream, 0));
    return stop ? hipEventRecord(stop, stream) : hipSuccess;
}
API hipError_t hipHccModuleLaunchKernel(hipFunction_t f, u32 wx, u32 wy, u32 wz, u32 bx, u32 by, u32 bz, size_t lds, hipStream_t stream, void **parameters, void **extra, hipEvent_t start, hipEvent_t stop) {
    return hipExtModuleLaunchKernel(f, wx, wy, wz, bx, by, bz, lds, stream, parameters, extra, start, stop, 0);
}

// --- how many fit ------------------------------------------------------------------------------

// Groups of so many threads that a compute unit holds at a time.
static int resident(const Function *f, u64 threads, u64 lds) {
    const Card *c = card();
    if (!threads || threads > THREADS) return 0;
    int waves = (int)((threads + (u64)c->lanes - 1) / (u64)c->lanes);
    int registers = (int)f->kernel->declared_vgprs;
    registers = (registers + c->vgpr_granule - 1) / c->vgpr_granule * c->vgpr_granule;
    int by_registers = registers ? c->vgprs / registers : c->waves_per_simd;
    int all = (by_registers < c->waves_per_simd ? by_registers : c->waves_per_simd) * c->simds;
    int groups = all / waves;
    u64 used = f->kernel->lds + lds;
    if (used > (u64)c->lds_per_block) return 0;
    if (used && (u64)groups > (u64)c->lds / used) groups = (int)((u64)c->lds / used);
    return waves > 1 && groups > c->barriers ? c->barriers : groups;
}

static hipError_t cooperative(Function *f, dim3 grid, dim3 block, void **parameters, u64 lds, hipStream_t stream) {
    u64 groups = (u64)grid.x * grid.y * grid.z, threads = (u64)block.x * block.y * block.z;
    TRY(check_sizes(f, grid, block, lds));
    CHECK(groups <= (u64)resident(f, threads, lds) * (u64)card()->units, hipErrorCooperativeLaunchTooLarge);
    return submit_launch(f, grid, block, lds, parameters, 0, stream, 1);
}
API hipError_t hipLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **parameters, unsigned lds, hipStream_t stream) {
    Function *f;
    TRY(function_of(host, &f));
    return cooperative(f, grid, block, parameters, lds, stream);
}
API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned lds, hipStream_t stream, void **parameters) {
    CHECK(f, hipErrorInvalidHandle);
    return cooperative(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, parameters, lds, stream);
}

API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t f, int size, size_t lds) {
    CHECK(blocks && f, hipErrorInvalidValue);
    *blocks = resident(f, (u64)size, lds);
    return hipSuccess;
}
API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, hipFunction_t f, int size, size_t lds, unsigned flags) {
    return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, size, lds);
}
API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int size, size_t lds) {
    Function *f;
    TRY(function_of(host, &f));
    return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, size, lds);
}
API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host, int size, size_t lds, unsigned flags) {
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, size, lds);
}
API hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t f, size_t lds, int limit) {
    CHECK(grid && block && f, hipErrorInvalidValue);
    int best = 0, most = limit > 0 && limit < THREADS ? limit : THREADS;
    if (f->kernel->max_threads < (u32)most) most = (int)f->kernel->max_threads;
    *block = *grid = 0;
    for (int size = most / card()->lanes * card()->lanes; size > 0; size -= card()->lanes) {
        int held = resident(f, (u64)size, lds);
        if (held * size > best) best = held * size, *block = size, *grid = held * card()->units;
    }
    return hipSuccess;
}
API hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, hipFunction_t f, size_t lds, int limit, unsigned flags) {
    return hipModuleOccupancyMaxPotentialBlockSize(grid, block, f, lds, limit);
}
API hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *host, size_t lds, int limit) {
    Function *f;
    TRY(function_of(host, &f));
    return hipModuleOccupancyMaxPotentialBlockSize(grid, block, f, lds, limit);
}

// --- attributes --------------------------------------------------------------------------------

API hipError_t hipFuncGetAttributes(hipFuncAttributes *found, const void *host) {
    Function *f;
    CHECK(found, hipErrorInvalidValue);
    TRY(function_of(host, &f));
    memset(found, 0, sizeof *found);
    found->binaryVersion = found->ptxVersion = 10 * (card()->lanes == 64 ? 9 : 11);
    found->localSizeBytes = f->kernel->scratch, found->sharedSizeBytes = f->kernel->lds;
    found->numRegs = (int)f->kernel->declared_vgprs, found->maxThreadsPerBlock = (int)f->kernel->max_threads;
    found->maxDynamicSharedSizeBytes = card()->lds_per_block - (int)f->kernel->lds;
    return hipSuccess;
}
API hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t f) {
    CHECK(value && f, hipErrorInvalidValue);
    switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)f->kernel->max_threads; break;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)f->kernel->lds; break;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = 0; break;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)f->kernel->scratch; break;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)f->kernel->declared_vgprs; break;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = card()->lds_per_block - (int)f->kernel->lds; break;
    default: *value = 0;
    }
    return hipSuccess;
}
API hipError_t hipFuncSetAttribute(const void *host, hipFuncAttribute attribute, int value) {
    Function *f;
    TRY(function_of(host, &f));
    if (attribute != hipFuncAttributeMaxDynamicSharedMemorySize) return hipSuccess;
    CHECK(value >= 0, hipErrorInvalidValue);
    u64 lds = f->kernel->lds + (u64)value, limit = (u64)card()->lds_per_block;
    return lds <= limit ? hipSuccess : said(beyond(f, lds, "bytes of LDS", limit, hipErrorInvalidValue));
}
API hipError_t hipFuncSetCacheConfig(const void *host, hipFuncCache_t config) { return hipSuccess; }
API hipError_t hipFuncSetSharedMemConfig(const void *host, hipSharedMemConfig config) { return hipSuccess; }
