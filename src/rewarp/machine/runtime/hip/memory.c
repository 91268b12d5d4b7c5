// Memory of the card: pieces of the host's, each with guard space, known by address.
#include "state.h"
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD = 256, MAPPED_FROM = 1 << 20 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Allocation **known;       // sorted by address
static u64 count, room, used;
static char (*names)[96];        // by number
static u32 made, names_room;

static u64 behind(u64 address) {  // of the first that begins behind an address
    u64 low = 0, high = count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (known[middle]->start <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

static Allocation *holding(u64 address) {
    u64 at = behind(address);
    if (!at) return 0;
    Allocation *a = known[at - 1];
    return address - a->start < (a->size ? a->size : 1) ? a : 0;
}

Allocation *allocation_of(const void *pointer) {
    pthread_mutex_lock(&lock);
    Allocation *found = holding((u64)pointer);
    pthread_mutex_unlock(&lock);
    return found;
}

u64 memory_used(void) { return used; }

static Allocation *add(u64 start, u64 size, Kind kind, u32 flags, const char *call) {
    if (count == room) known = realloc(known, (room = room * 2 + 64) * sizeof *known);
    if (made == names_room) names = realloc(names, (names_room = names_room * 2 + 64) * sizeof *names);
    Allocation *a = calloc(1, sizeof *a);
    *a = (Allocation){start, size, kind, made, flags, 0, call, 0};
    if (settings()->watch && kind == DEVICE) a->known = calloc(1, size / 8 + 16);
    snprintf(names[made], sizeof *names, "allocation %u (%s of %lu bytes)", made + 1, call, size);
    made++;
    u64 at = behind(start);
    memmove(known + at + 1, known + at, (count - at) * sizeof *known);
    known[at] = a;
    count++;
    return a;
}

static void forget(Allocation *a) {
    u64 at = behind(a->start) - 1;
    memmove(known + at, known + at + 1, (--count - at) * sizeof *known);
    free(a->known), free(a);
}

void add_variable(u64 start, u64 size, const char *name) {
    pthread_mutex_lock(&lock);
    Allocation *a = add(start, size, VARIABLE, 0, "a device variable");
    snprintf(names[a->number], sizeof *names, "%s (%lu bytes)", name, size);
    pthread_mutex_unlock(&lock);
}

static u64 whole(u64 size) { return (size + GUARD + 4095) & ~4095ul; }

// Many programs do not look at the error, and come to address zero: the first one is told. What a card would have had room
// for is no limit of its own.
static void tell_full(const char *call, u64 size, int is_full) {
    static int is_told;
    char text[256];
    u64 limit = settings()->memory;
    if (__atomic_exchange_n(&is_told, 1, 5)) return;
    int used_up = snprintf(text, sizeof text, "%s of %lu bytes: ", call, size);
    if (!is_full) snprintf(text + used_up, sizeof text - (u64)used_up, "this computer has no memory left");
    else if (limit < card()->memory) snprintf(text + used_up, sizeof text - (u64)used_up, "%lu of the %lu bytes that --memory-limit gives are taken", used, limit);
    else snprintf(text + used_up, sizeof text - (u64)used_up, "%lu of %lu bytes are taken (the card's memory)", used, card()->memory);
    if (is_full && limit >= card()->memory) tell_limit("", text);
    else tell_unsupported("", text);
}

hipError_t allocate(void **pointer, u64 size, Kind kind, u32 flags, const char *call) {
    if (!pointer) return hipErrorInvalidValue;
    *pointer = 0;
    if (!size) return hipSuccess;
    u64 limit = settings()->memory < card()->memory ? settings()->memory : card()->memory;
    pthread_mutex_lock(&lock);
    int fits = size <= limit && used <= limit - size;
    if (fits) used += size;
    pthread_mutex_unlock(&lock);
    if (!fits) {
        tell_full(call, size, 1);
        return hipErrorOutOfMemory;
    }
    void *start = 0;
    int is_mapped = size >= MAPPED_FROM;
    if (is_mapped) {
        start = mmap(0, whole(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (start == MAP_FAILED) start = 0;
    } else if ((start = aligned_alloc(GUARD, (size + 2 * GUARD - 1) & ~(u64)(GUARD - 1)))) memset(start, 0, size);
    pthread_mutex_lock(&lock);
    if (start) add((u64)start, size, kind, flags, call)->is_mapped = is_mapped;
    else used -= size;
    pthread_mutex_unlock(&lock);
    *pointer = start;
    if (!start) tell_full(call, size, 0);
    return start ? hipSuccess : hipErrorOutOfMemory;
}

// --- what was freed: kept for a while, so that nothing else comes to lie there -------------------

enum { FREED = 1024, FREED_BYTES = 16 << 20 };
static struct { u64 start, size, kept, launches; const char *call; u32 number; } freed[FREED];
static u64 freed_count, freed_bytes;  // bytes: of those that are still taken from the host

static void let_go(u64 number) {
    u64 at = number % FREED;
    if (!freed[at].kept) return;
    if (freed[at].kept >= MAPPED_FROM) munmap((void *)freed[at].start, freed[at].kept);
    else free((void *)freed[at].start), freed_bytes -= freed[at].kept;
    freed[at].kept = 0;
}

// Large pieces leave a hole in the address space, small ones stay until others push them out.
static void keep_freed(const Allocation *a, const char *call) {
    static u64 oldest;
    if (freed_count >= FREED) let_go(freed_count - FREED);
    u64 at = freed_count++ % FREED;
    freed[at].start = a->start, freed[at].size = a->size, freed[at].number = a->number;
    freed[at].call = call, freed[at].launches = all_launches();
    freed[at].kept = a->of_graph ? 0 : a->is_mapped ? whole(a->size) : a->size;
    if (a->of_graph) mmap((void *)a->start, whole(a->size), PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    else if (a->is_mapped && mprotect((void *)a->start, whole(a->size), PROT_NONE)) let_go(freed_count - 1);
    else if (a->is_mapped) madvise((void *)a->start, whole(a->size), MADV_DONTNEED);
    else freed_bytes += a->size;
    if (oldest + FREED < freed_count) oldest = freed_count - FREED;
    for (; freed_bytes > FREED_BYTES && oldest < freed_count; oldest++)
        if (freed[oldest % FREED].kept < MAPPED_FROM) let_go(oldest);
}

const char *freed_name(u64 address) {
    static char text[256];
    for (u64 n = freed_count; n > 0 && n + FREED > freed_count; n--) {
        u64 at = (n - 1) % FREED;
        if (address - freed[at].start >= freed[at].size) continue;
        snprintf(text, sizeof text, "%s, which %s freed when %lu kernels had been launched", range_name(freed[at].number), freed[at].call, freed[at].launches);
        return text;
    }
    return 0;
}

// --- a graph's memory: its addresses are the graph's for good, what lies there comes when it runs and goes when it is freed ---

static struct Reserved { u64 start, size; const char *call; struct Reserved *next; } *reserved;

static struct Reserved *reserved_at(const void *pointer) {
    struct Reserved *one = reserved;
    while (one && (u64)pointer - one->start >= one->size) one = one->next;
    return one;
}
u64 reserved_behind(const void *pointer) {
    struct Reserved *one = reserved_at(pointer);
    return one ? one->start + one->size - (u64)pointer : 0;
}
int is_reserved(const void *pointer) {
    struct Reserved *one = reserved_at(pointer);
    return one && one->start == (u64)pointer;
}

hipError_t reserve(void **pointer, u64 size, const char *call) {
    if (!pointer || !size) return hipErrorInvalidValue;
    void *start = mmap(0, whole(size), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return hipErrorOutOfMemory;
    struct Reserved *one = malloc(sizeof *one);
    pthread_mutex_lock(&lock);
    *one = (struct Reserved){(u64)start, size, call, reserved};
    reserved = one;
    pthread_mutex_unlock(&lock);
    *pointer = start;
    return hipSuccess;
}

hipError_t fill_reserved(void *pointer) {
    struct Reserved *one = reserved_at(pointer);
    if (!one || one->start != (u64)pointer || allocation_of(pointer)) return hipErrorInvalidValue;  // not freed since the graph ran last
    u64 limit = settings()->memory < card()->memory ? settings()->memory : card()->memory;
    pthread_mutex_lock(&lock);
    int fits = one->size <= limit && used <= limit - one->size && !mprotect(pointer, whole(one->size), PROT_READ | PROT_WRITE);
    if (fits) used += one->size, add(one->start, one->size, DEVICE, 0, one->call)->of_graph = 1;
    pthread_mutex_unlock(&lock);
    if (!fits) tell_full(one->call, one->size, 1);
    return fits ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t release(void *pointer, int host, const char *call) {
    if (!pointer) return hipSuccess;
    pthread_mutex_lock(&lock);
    Allocation *a = holding((u64)pointer);
    int fits = a && a->start == (u64)pointer && (host ? a->kind == PINNED : a->kind == DEVICE || a->kind == MANAGED || a->kind == PINNED);
    if (fits) used -= a->size, keep_freed(a, call), forget(a);
    pthread_mutex_unlock(&lock);
    return fits ? hipSuccess : hipErrorInvalidValue;
}

const Range *kernel_ranges(u64 *number) {
    pthread_mutex_lock(&lock);
    Range *found = malloc((count + 1) * sizeof *found);
    for (u64 n = 0; n < count; n++)
        found[n] = (Range){known[n]->start, known[n]->start + known[n]->size, 1, known[n]->number};
    *number = count;
    pthread_mutex_unlock(&lock);
    return found;
}

// --- what somebody wrote: told by those who watch ----------------------------------------------

const Fresh *kernel_fresh(u64 *number) {
    pthread_mutex_lock(&lock);
    Fresh *found = malloc((count + 1) * sizeof *found);
    *number = 0;
    for (u64 n = 0; n < count; n++)
        if (known[n]->known) found[(*number)++] = (Fresh){known[n]->start, known[n]->start + known[n]->size, known[n]->known};
    pthread_mutex_unlock(&lock);
    return found;
}

static void set_bits(u8 *bits, u64 from, u64 to) {
    for (; from < to && from % 8; from++) bits[from / 8] |= (u8)(1 << from % 8);
    memset(bits + from / 8, 0xff, to > from ? (to - from) / 8 : 0);
    for (from += to > from ? (to - from) / 8 * 8 : 0; from < to; from++) bits[from / 8] |= (u8)(1 << from % 8);
}

void wrote(const void *start, u64 size) {
    pthread_mutex_lock(&lock);
    Allocation *a = holding((u64)start);
    if (a && a->known) {
        u64 at = (u64)start - a->start;
        set_bits(a->known, at, size < a->size - at ? at + size : a->size);
    }
    pthread_mutex_unlock(&lock);
}
// For the libraries beside this one, which compute on the host and write where they like: all there is counts as written.
API void rewarp_machine_wrote(void) {
    if (!settings()->watch) return;
    pthread_mutex_lock(&lock);
    for (u64 n = 0; n < count; n++) free(known[n]->known), known[n]->known = 0;
    pthread_mutex_unlock(&lock);
}

void copied(const void *to, const void *from, u64 size) {
    pthread_mutex_lock(&lock);
    Allocation *a = holding((u64)to), *b = holding((u64)from);
    if (a && a->known && b && b->known) {
        u64 at = (u64)to - a->start, of = (u64)from - b->start;
        for (u64 n = 0; n < size; n++) {
            u8 bit = (u8)(1 << (at + n) % 8);
            if (b->known[(of + n) / 8] >> (of + n) % 8 & 1) a->known[(at + n) / 8] |= bit;
            else a->known[(at + n) / 8] &= (u8)~bit;
        }
    }
    pthread_mutex_unlock(&lock);
    if (a && a->known && !(b && b->known)) wrote(to, size);
}

const char *range_name(u32 number) { return number < made ? names[number] : "data of the program"; }

// --- allocating --------------------------------------------------------------------------------

API hipError_t hipMalloc(void **pointer, size_t size) { return said(allocate(pointer, size, DEVICE, 0, "hipMalloc")); }
API hipError_t hipExtMallocWithFlags(void **pointer, size_t size, unsigned flags) {
    return said(allocate(pointer, size, DEVICE, flags, "hipExtMallocWithFlags"));
}
API hipError_t hipMallocManaged(void **pointer, size_t size, unsigned flags) {
    CHECK(size, hipErrorInvalidValue);
    return said(allocate(pointer, size, MANAGED, flags, "hipMallocManaged"));
}
API hipError_t hipHostMalloc(void **pointer, size_t size, unsigned flags) {
    return said(allocate(pointer, size, PINNED, flags, "hipHostMalloc"));
}
API hipError_t hipHostAlloc(void **pointer, size_t size, unsigned flags) {
    return said(allocate(pointer, size, PINNED, flags, "hipHostAlloc"));
}
API hipError_t hipMallocHost(void **pointer, size_t size) { return said(allocate(pointer, size, PINNED, 0, "hipMallocHost")); }
API hipError_t hipMemAllocHost(void **pointer, size_t size) { return said(allocate(pointer, size, PINNED, 0, "hipMemAllocHost")); }
API hipError_t hipFree(void *pointer) { return said(release(pointer, 0, "hipFree")); }
API hipError_t hipHostFree(void *pointer) { return said(release(pointer, 1, "hipHostFree")); }
API hipError_t hipFreeHost(void *pointer) { return said(release(pointer, 1, "hipFreeHost")); }

static u64 pitch_of(u64 width) { return (width + 255) & ~255ul; }
API hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    CHECK(pitch, hipErrorInvalidValue);
    *pitch = pitch_of(width);
    return said(allocate(pointer, *pitch * height, DEVICE, 0, "hipMallocPitch"));
}
API hipError_t hipMemAllocPitch(hipDeviceptr_t *pointer, size_t *pitch, size_t width, size_t height, unsigned element) {
    return hipMallocPitch(pointer, pitch, width, height);
}
API hipError_t hipMalloc3D(hipPitchedPtr *made_, struct hipExtent extent) {
    CHECK(made_, hipErrorInvalidValue);
    made_->pitch = pitch_of(extent.width), made_->xsize = extent.width, made_->ysize = extent.height;
    return said(allocate(&made_->ptr, made_->pitch * extent.height * extent.depth, DEVICE, 0, "hipMalloc3D"));
}

API hipError_t hipHostRegister(void *pointer, size_t size, unsigned flags) {
    CHECK(pointer && size, hipErrorInvalidValue);
    pthread_mutex_lock(&lock);
    int is_free = !holding((u64)pointer);
    if (is_free) add((u64)pointer, size, REGISTERED, flags, "hipHostRegister");
    pthread_mutex_unlock(&lock);
    return said(is_free ? hipSuccess : hipErrorHostMemoryAlreadyRegistered);
}
API hipError_t hipHostUnregister(void *pointer) {
    CHECK(pointer, hipErrorInvalidValue);
    pthread_mutex_lock(&lock);
    Allocation *a = holding((u64)pointer);
    int fits = a && a->kind == REGISTERED && a->start == (u64)pointer;
    if (fits) forget(a);
    pthread_mutex_unlock(&lock);
    return said(fits ? hipSuccess : hipErrorHostMemoryNotRegistered);
}
API hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned flags) {
    Allocation *a = allocation_of(host);
    CHECK(device && a, hipErrorInvalidValue);
    *device = host;
    return hipSuccess;
}
API hipError_t hipHostGetFlags(unsigned *flags, void *host) {
    Allocation *a = allocation_of(host);
    CHECK(flags && a && (a->kind == PINNED || a->kind == REGISTERED), hipErrorInvalidValue);
    *flags = a->flags;
    return hipSuccess;
}

// --- asking ------------------------------------------------------------------------------------

API hipError_t hipMemGetInfo(size_t *left, size_t *total) {
    u64 host = (u64)sysconf(_SC_AVPHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE);
    u64 limit = settings()->memory < card()->memory ? settings()->memory : card()->memory;
    u64 unused = limit > used ? limit - used : 0;
    if (left) *left = unused < host ? unused : host;
    if (total) *total = card()->memory;
    return hipSuccess;
}
API hipError_t hipMemPtrGetInfo(void *pointer, size_t *size) {
    Allocation *a = allocation_of(pointer);
    CHECK(size && a, hipErrorInvalidValue);
    *size = a->size;
    return hipSuccess;
}
API hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *size, hipDeviceptr_t pointer) {
    Allocation *a = allocation_of(pointer);
    CHECK(a, hipErrorNotFound);
    if (base) *base = (void *)a->start;
    if (size) *size = a->size;
    return hipSuccess;
}
API hipError_t hipPointerGetAttributes(hipPointerAttribute_t *found, const void *pointer) {
    CHECK(found && pointer, hipErrorInvalidValue);
    Allocation *a = allocation_of(pointer);
    CHECK(a, hipErrorInvalidValue);
    memset(found, 0, sizeof *found);
    found->type = a->kind == PINNED || a->kind == REGISTERED ? hipMemoryTypeHost : a->kind == MANAGED ? hipMemoryTypeManaged : hipMemoryTypeDevice;
    found->devicePointer = (void *)pointer;
    found->hostPointer = found->type == hipMemoryTypeDevice ? 0 : (void *)pointer;
    found->isManaged = a->kind == MANAGED, found->allocationFlags = a->flags;
    return hipSuccess;
}
API hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
    hipPointerAttribute_t found;
    CHECK(data, hipErrorInvalidValue);
    TRY(hipPointerGetAttributes(&found, pointer));
    Allocation *a = allocation_of(pointer);
    switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: *(int *)data = (int)found.type; break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER: *(void **)data = found.devicePointer; break;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER: *(void **)data = found.hostPointer; break;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED: *(int *)data = found.isManaged; break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = 0; break;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(u64 *)data = a->start; break;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE: *(u64 *)data = a->size; break;
    default: return said(hipErrorNotSupported);
    }
    return hipSuccess;
}
API hipError_t hipMemAdvise(const void *p, size_t n, hipMemoryAdvise advice, int device) { return hipSuccess; }
API hipError_t hipMemPrefetchAsync(const void *p, size_t n, int device, hipStream_t stream) { return hipSuccess; }
API hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *p, size_t n, unsigned flags) { return hipSuccess; }
