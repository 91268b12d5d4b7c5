// The card: one device, with the figures of the tables.
#include "state.h"
#include <sched.h>

const Card *card(void) {
    static const Card *chosen;
    if (!chosen) {
        const char *arch = getenv("REWARP_MACHINE_ARCH");
        const Card *c = CARDS;
        while (arch && c->arch && strcmp(c->arch, arch)) c++;
        if (!c->arch) {
            say("there is no card for %s", arch);
            exit(127);
        }
        chosen = c;
    }
    return chosen;
}

static u64 number_in(const char *name, u64 otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, 0, 10) : otherwise;
}

const Settings *settings(void) {
    static Settings s;
    static int is_read;
    if (!is_read) {
        cpu_set_t set;
        s.cores = (u32)number_in("REWARP_MACHINE_CORES", sched_getaffinity(0, sizeof set, &set) ? 1 : (u64)CPU_COUNT(&set));
        s.watch = (u32)number_in("REWARP_MACHINE_WATCH", 0), s.progress = (u32)number_in("REWARP_MACHINE_PROGRESS", 0);
        s.order = (u32)number_in("REWARP_MACHINE_ORDER", 0), s.memory = number_in("REWARP_MACHINE_MEMORY", ~0ul);
        s.limit = number_in("REWARP_MACHINE_LIMIT", 0), s.report = getenv("REWARP_MACHINE_REPORT");
        is_read = 1;
    }
    return &s;
}

API hipError_t hipInit(unsigned flags) { return said(flags ? hipErrorInvalidValue : hipSuccess); }
API hipError_t hipDriverGetVersion(int *version) { CHECK(version, hipErrorInvalidValue); *version = 60240000; return hipSuccess; }
API hipError_t hipRuntimeGetVersion(int *version) { CHECK(version, hipErrorInvalidValue); *version = 60240000; return hipSuccess; }
API hipError_t hipGetDeviceCount(int *count) { CHECK(count, hipErrorInvalidValue); *count = 1; return hipSuccess; }
API hipError_t hipGetDevice(int *device) { CHECK(device, hipErrorInvalidValue); *device = 0; return hipSuccess; }
API hipError_t hipSetDevice(int device) { return said(device ? hipErrorInvalidDevice : hipSuccess); }
API hipError_t hipSetValidDevices(int *list, int count) { return hipSuccess; }
API hipError_t hipDeviceGet(hipDevice_t *device, int number) {
    CHECK(device, hipErrorInvalidValue);
    CHECK(!number, hipErrorInvalidDevice);
    *device = 0;
    return hipSuccess;
}
API hipError_t hipDeviceReset(void) { return hipSuccess; }
API hipError_t hipSetDeviceFlags(unsigned flags) { return hipSuccess; }
API hipError_t hipGetDeviceFlags(unsigned *flags) { *flags = 0; return hipSuccess; }
API hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) { return hipSuccess; }
API hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config) { *config = hipFuncCachePreferNone; return hipSuccess; }
API hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) { return hipSuccess; }
API hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config) { *config = hipSharedMemBankSizeFourByte; return hipSuccess; }
API hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 1;
    if (greatest) *greatest = -1;
    return hipSuccess;
}
API hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit) {
    CHECK(value, hipErrorInvalidValue);
    *value = limit == hipLimitStackSize ? 1024 : limit == hipLimitPrintfFifoSize ? 16 << 20 : 8 << 20;
    return hipSuccess;
}
API hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value) { return hipSuccess; }
API hipError_t hipProfilerStart(void) { return hipSuccess; }
API hipError_t hipProfilerStop(void) { return hipSuccess; }

API hipError_t hipGetDeviceProperties(hipDeviceProp_t *p, int device) {
    const Card *c = card();
    CHECK(p, hipErrorInvalidValue);
    CHECK(!device, hipErrorInvalidDevice);
    memset(p, 0, sizeof *p);
    int wide = c->lanes == 64;
    snprintf(p->name, sizeof p->name, "%s", c->name);
    snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s%s", c->arch, wide ? ":sramecc+:xnack-" : "");
    p->totalGlobalMem = c->memory, p->sharedMemPerBlock = (u64)c->lds_per_block, p->regsPerBlock = 65536, p->warpSize = c->lanes;
    p->memPitch = 2147483647, p->maxThreadsPerBlock = 1024;
    for (int n = 0; n < 3; n++) p->maxThreadsDim[n] = 1024, p->maxGridSize[n] = n ? 65536 : 2147483647;
    p->clockRate = c->clock_mhz * 1000, p->memoryClockRate = c->memory_mhz * 1000, p->memoryBusWidth = c->bus_width;
    p->totalConstMem = 2147483647, p->major = wide ? 9 : 11, p->minor = wide ? 4 : 0;
    if (!strcmp(c->arch, "gfx90a")) p->minor = 0;
    if (!strcmp(c->arch, "gfx950")) p->minor = 5;
    if (!strcmp(c->arch, "gfx1201")) p->major = 12;
    p->textureAlignment = p->texturePitchAlignment = 256, p->multiProcessorCount = c->units, p->canMapHostMemory = 1;
    p->concurrentKernels = 1, p->ECCEnabled = wide, p->pciBusID = 1, p->asyncEngineCount = 1, p->unifiedAddressing = 1;
    p->l2CacheSize = c->l2_kib * 1024, p->maxThreadsPerMultiProcessor = c->waves_per_simd * c->simds * c->lanes;
    p->streamPrioritiesSupported = 1, p->sharedMemPerMultiprocessor = (u64)c->lds, p->regsPerMultiprocessor = 65536;
    p->managedMemory = 1, p->canUseHostPointerForRegisteredMem = 1, p->cooperativeLaunch = 1;
    p->sharedMemPerBlockOptin = (u64)c->lds_per_block, p->maxBlocksPerMultiProcessor = c->waves_per_simd * c->simds;
    p->hostRegisterSupported = 1, p->memoryPoolsSupported = 1, p->maxSharedMemoryPerMultiProcessor = (u64)c->lds;
    p->clockInstructionRate = 100000, p->isLargeBar = 1;
    p->maxTexture1D = p->maxTexture1DLinear = p->maxTexture2D[0] = p->maxTexture2D[1] = 16384;
    p->maxTexture3D[0] = p->maxTexture3D[1] = 16384, p->maxTexture3D[2] = 8192;
    memset(&p->arch, 0xff, sizeof p->arch);
    p->arch.hasSurfaceFuncs = p->arch.hasDynamicParallelism = 0;
    return hipSuccess;
}

API hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
    hipDeviceProp_t p;
    CHECK(value, hipErrorInvalidValue);
    TRY(hipGetDeviceProperties(&p, device));
#define IS(name, field) case hipDeviceAttribute##name: *value = (int)(field); return hipSuccess
    switch (attribute) {
    IS(MaxThreadsPerBlock, p.maxThreadsPerBlock); IS(MaxBlockDimX, 1024); IS(MaxBlockDimY, 1024); IS(MaxBlockDimZ, 1024);
    IS(MaxGridDimX, p.maxGridSize[0]); IS(MaxGridDimY, p.maxGridSize[1]); IS(MaxGridDimZ, p.maxGridSize[2]);
    IS(MaxSharedMemoryPerBlock, p.sharedMemPerBlock); IS(SharedMemPerBlockOptin, p.sharedMemPerBlockOptin);
    IS(SharedMemPerMultiprocessor, p.sharedMemPerMultiprocessor); IS(MaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor);
    IS(TotalConstantMemory, p.totalConstMem); IS(WarpSize, p.warpSize); IS(MaxRegistersPerBlock, p.regsPerBlock);
    IS(MaxRegistersPerMultiprocessor, p.regsPerMultiprocessor); IS(ClockRate, p.clockRate); IS(MemoryClockRate, p.memoryClockRate);
    IS(MemoryBusWidth, p.memoryBusWidth); IS(MultiprocessorCount, p.multiProcessorCount); IS(ComputeMode, 0);
    IS(L2CacheSize, p.l2CacheSize); IS(MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor);
    IS(ComputeCapabilityMajor, p.major); IS(ComputeCapabilityMinor, p.minor); IS(ConcurrentKernels, 1); IS(PciBusId, 1);
    IS(PciDeviceId, 0); IS(PciDomainID, 0); IS(Integrated, 0); IS(IsMultiGpuBoard, 0); IS(CooperativeLaunch, 1);
    IS(CooperativeMultiDeviceLaunch, 0); IS(CanMapHostMemory, 1); IS(EccEnabled, p.ECCEnabled); IS(AsyncEngineCount, 1);
    IS(UnifiedAddressing, 1); IS(ManagedMemory, 1); IS(ConcurrentManagedAccess, 0); IS(PageableMemoryAccess, 0);
    IS(MemoryPoolsSupported, 1); IS(StreamPrioritiesSupported, 1); IS(TextureAlignment, 256); IS(TexturePitchAlignment, 256);
    IS(KernelExecTimeout, 0); IS(MaxPitch, 2147483647); IS(MaxBlocksPerMultiProcessor, p.maxBlocksPerMultiProcessor);
    IS(HostRegisterSupported, 1); IS(CanUseHostPointerForRegisteredMem, 1); IS(WallClockRate, 100000); IS(SurfaceAlignment, 256);
    IS(DirectManagedMemAccessFromHost, 0); IS(HostNativeAtomicSupported, 1); IS(PageableMemoryAccessUsesHostPageTables, 0);
    IS(ComputePreemptionSupported, 0); IS(SingleToDoublePrecisionPerfRatio, 0); IS(MultiGpuBoardGroupID, 0); IS(LocalL1CacheSupported, 1);
    IS(GlobalL1CacheSupported, 1); IS(TccDriver, 0); IS(AsicRevision, 0); IS(IsLargeBar, 1); IS(AmdSpecificBegin, 0); IS(ImageSupport, 0); IS(VirtualMemoryManagementSupported, 0);
    IS(MemoryPoolSupportedHandleTypes, 0); IS(PhysicalMultiProcessorCount, p.multiProcessorCount); IS(FineGrainSupport, 1);
    IS(CooperativeMultiDeviceUnmatchedFunc, 0); IS(CooperativeMultiDeviceUnmatchedGridDim, 0); IS(CooperativeMultiDeviceUnmatchedBlockDim, 0);
    IS(CooperativeMultiDeviceUnmatchedSharedMem, 0); IS(AccessPolicyMaxWindowSize, 0); IS(PersistingL2CacheMaxSize, 0);
    IS(ReservedSharedMemPerBlock, 0); IS(MaxTexture1DWidth, p.maxTexture1D); IS(MaxTexture1DLinear, p.maxTexture1DLinear);
    IS(MaxTexture2DWidth, p.maxTexture2D[0]); IS(MaxTexture2DHeight, p.maxTexture2D[1]); IS(MaxTexture3DWidth, p.maxTexture3D[0]);
    IS(MaxTexture3DHeight, p.maxTexture3D[1]); IS(MaxTexture3DDepth, p.maxTexture3D[2]);
    default: *value = 0; return said(hipErrorInvalidValue);
    }
}
API hipError_t hipDeviceGetName(char *name, int size, hipDevice_t device) {
    CHECK(name && size > 0, hipErrorInvalidValue);
    CHECK(!device, hipErrorInvalidDevice);
    snprintf(name, (u64)size, "%s", card()->name);
    return hipSuccess;
}
API hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
    CHECK(bytes, hipErrorInvalidValue);
    CHECK(!device, hipErrorInvalidDevice);
    *bytes = card()->memory;
    return hipSuccess;
}
API hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
    hipDeviceProp_t p;
    TRY(hipGetDeviceProperties(&p, device));
    *major = p.major, *minor = p.minor;
    return hipSuccess;
}
API hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) { memcpy(uuid->bytes, "rewarp emulator", 16); return hipSuccess; }
API hipError_t hipDeviceGetPCIBusId(char *id, int size, int device) { snprintf(id, (u64)size, "0000:01:00.0"); return hipSuccess; }
API hipError_t hipDeviceGetByPCIBusId(int *device, const char *id) { *device = 0; return hipSuccess; }
API hipError_t hipChooseDevice(int *device, const hipDeviceProp_t *wanted) { *device = 0; return hipSuccess; }

// --- peers: there are none ---------------------------------------------------------------------
API hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
    CHECK(can, hipErrorInvalidValue);
    CHECK(!device && !peer, hipErrorInvalidDevice);
    *can = 0;
    return hipSuccess;
}
API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) { return said(hipErrorInvalidDevice); }
API hipError_t hipDeviceDisablePeerAccess(int peer) { return said(hipErrorInvalidDevice); }

// --- contexts: one, always current --------------------------------------------------------------
static char context;
#define CONTEXT ((hipCtx_t)&context)
API hipError_t hipCtxCreate(hipCtx_t *made, unsigned flags, hipDevice_t device) { *made = CONTEXT; return hipSuccess; }
API hipError_t hipCtxDestroy(hipCtx_t c) { return hipSuccess; }
API hipError_t hipCtxSetCurrent(hipCtx_t c) { return hipSuccess; }
API hipError_t hipCtxGetCurrent(hipCtx_t *c) { *c = CONTEXT; return hipSuccess; }
API hipError_t hipCtxPushCurrent(hipCtx_t c) { return hipSuccess; }
API hipError_t hipCtxPopCurrent(hipCtx_t *c) { if (c) *c = CONTEXT; return hipSuccess; }
API hipError_t hipCtxGetDevice(hipDevice_t *device) { *device = 0; return hipSuccess; }
API hipError_t hipCtxSynchronize(void) { return hipSuccess; }
API hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *c, hipDevice_t device) { *c = CONTEXT; return hipSuccess; }
API hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) { return hipSuccess; }
API hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) { return hipSuccess; }
API hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned flags) { return hipSuccess; }
API hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *active) { *flags = 0, *active = 1; return hipSuccess; }
