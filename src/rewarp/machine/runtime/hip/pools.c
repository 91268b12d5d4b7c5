// Pools: memory is taken when it is asked for, or when the graph runs that a stream captures.
#include "state.h"

struct ihipMemPoolHandle_t { u64 threshold; };
static struct ihipMemPoolHandle_t pool;
static hipError_t take(void **pointer, u64 size, hipStream_t stream, const char *call) {
    if (!stream_of(stream)->graph) return said(allocate(pointer, size, DEVICE, 0, call));
    TRY(reserve(pointer, size, call));
    return said(submit(stream, &(Task){TASK_ALLOC, .alloc = {.bytesize = size, .dptr = *pointer}}));
}
API hipError_t hipMallocAsync(void **pointer, size_t size, hipStream_t stream) { return take(pointer, size, stream, "hipMallocAsync"); }
API hipError_t hipMallocFromPoolAsync(void **pointer, size_t size, hipMemPool_t from, hipStream_t stream) {
    return take(pointer, size, stream, "hipMallocFromPoolAsync");
}
API hipError_t hipFreeAsync(void *pointer, hipStream_t stream) {
    if (!stream_of(stream)->graph) return said(release(pointer, 0, "hipFreeAsync"));
    CHECK(is_reserved(pointer), hipErrorInvalidValue);  // a graph frees what graphs allocate
    return said(submit(stream, &(Task){TASK_FREE, .freed = pointer}));
}
API hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *found, int device) { *found = &pool; return hipSuccess; }
API hipError_t hipDeviceGetMemPool(hipMemPool_t *found, int device) { *found = &pool; return hipSuccess; }
API hipError_t hipDeviceSetMemPool(int device, hipMemPool_t chosen) { return hipSuccess; }
API hipError_t hipMemPoolCreate(hipMemPool_t *found, const hipMemPoolProps *properties) {
    *found = calloc(1, sizeof **found);
    return hipSuccess;
}
API hipError_t hipMemPoolDestroy(hipMemPool_t one) { if (one != &pool) free(one); return hipSuccess; }
API hipError_t hipMemPoolTrimTo(hipMemPool_t one, size_t kept) { return hipSuccess; }
API hipError_t hipMemPoolSetAttribute(hipMemPool_t one, hipMemPoolAttr attribute, void *value) {
    if (attribute == hipMemPoolAttrReleaseThreshold) one->threshold = *(u64 *)value;
    return hipSuccess;
}
API hipError_t hipMemPoolGetAttribute(hipMemPool_t one, hipMemPoolAttr attribute, void *value) {
    if (attribute == hipMemPoolAttrReleaseThreshold) *(u64 *)value = one->threshold;
    else if (attribute >= hipMemPoolAttrReservedMemCurrent) *(u64 *)value = memory_used();
    else *(int *)value = 1;
    return hipSuccess;
}
API hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void *value) {
    CHECK(!device && value, hipErrorInvalidValue);
    *(u64 *)value = memory_used();
    return hipSuccess;
}
API hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void *value) { return hipSuccess; }
API hipError_t hipDeviceGraphMemTrim(int device) { return hipSuccess; }
API hipError_t hipMemPoolSetAccess(hipMemPool_t one, const hipMemAccessDesc *list, size_t number) { return hipSuccess; }
