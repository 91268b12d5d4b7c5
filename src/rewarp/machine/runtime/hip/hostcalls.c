// What kernels ask the host for while they run: memory, once it is more than the device library's own slabs hold. The
// library leaves a packet on a stack and sends an interrupt; the answer is there before the wave goes on.
#include "state.h"

enum { PACKETS = 1024, MEMORY = 3, PAGE = 4096, SLAB = 2 << 20, LANES = 64, WORDS = 8 };
static const u64 POOL = 1ul << 30;

// As AMD's device library has them.
typedef struct { u64 next, lanes; u32 service, control; } Header;  // control: 1 until it is answered
typedef struct { u64 kind; i64 value; u64 mailbox; u32 event, unused; u64 rest[4]; } Signal;
typedef struct { u64 headers, payloads, doorbell, unused, asked, index_mask; } Buffer;
typedef struct { Buffer buffer; Signal signal; u64 mailbox; Header headers[PACKETS]; u64 payloads[PACKETS][LANES][WORDS]; } Hostcalls;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Hostcalls *calls;
static u64 pool, pool_size;
static struct Block { u64 start, size; } *blocks;  // that kernels have, sorted by address
static u64 count, room;

static u64 take(u64 size) {
    u64 aligned = size >= SLAB ? SLAB : PAGE, start = pool, at = 0;
    size = (size + PAGE - 1) & ~(u64)(PAGE - 1);
    for (; at <= count; at++) {
        start = (start + aligned - 1) & ~(aligned - 1);
        u64 end = at < count ? blocks[at].start : pool + pool_size;
        if (start <= end && size <= end - start) break;
        if (at < count) start = blocks[at].start + blocks[at].size;
    }
    if (!size || at > count) return 0;
    if (count == room) blocks = realloc(blocks, (room = room * 2 + 64) * sizeof *blocks);
    memmove(blocks + at + 1, blocks + at, (count++ - at) * sizeof *blocks);
    blocks[at] = (struct Block){start, size};
    return start;
}
static void give_back(u64 start) {
    for (u64 at = 0; at < count; at++)
        if (blocks[at].start == start) {
            memmove(blocks + at, blocks + at + 1, (--count - at) * sizeof *blocks);
            return;
        }
}

// Several cores may come here at once: each sees to all that was asked until now.
void answer_kernels(void) {
    if (!calls) return;
    pthread_mutex_lock(&lock);
    u64 at = __atomic_exchange_n(&calls->buffer.asked, 0, 5);
    while (at) {
        u64 n = at & (PACKETS - 1);
        Header *h = &calls->headers[n];
        at = h->next;
        for (u64 lane = 0; lane < LANES; lane++) {
            u64 *words = calls->payloads[n][lane];
            if (!(h->lanes >> lane & 1)) continue;
            if (h->service != MEMORY) words[0] = words[1] = 0;
            else if (words[0]) give_back(words[0]), words[0] = 0;
            else words[0] = take(words[1]);
        }
        if (h->service != MEMORY) tell_unsupported("", "a kernel asks the host for a service that is not made");
        __atomic_store_n(&h->control, h->control & ~1u, 5);
    }
    pthread_mutex_unlock(&lock);
}

static void start(void) {
    void *memory, *more;
    u64 left, all;
    if (allocate(&memory, sizeof *calls, DEVICE, 0, "what kernels ask the host for") != hipSuccess) return;
    hipMemGetInfo(&left, &all);
    pool_size = (left / 4 < POOL ? left / 4 : POOL) & ~(u64)(SLAB - 1);
    if (pool_size && allocate(&more, pool_size, DEVICE, 0, "memory that kernels allocate") == hipSuccess) pool = (u64)more;
    else pool_size = 0;
    Hostcalls *c = memory;
    c->buffer = (Buffer){(u64)c->headers, (u64)c->payloads, (u64)&c->signal, 0, 0, PACKETS - 1};
    c->signal.mailbox = (u64)&c->mailbox, c->signal.event = 1;
    // Numbers of packets carry a count above their index, so that none is taken for what it was before; zero is none.
    for (u64 n = 0; n < PACKETS; n++) c->headers[n].next = n + 1 < PACKETS ? PACKETS + n + 1 : 0;
    c->buffer.unused = PACKETS;
    wrote(memory, sizeof *calls);
    calls = c;
}

u64 hostcalls(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return (u64)calls;
}
