// Prepares a launch: arguments in memory as the kernel's metadata says, registers as its descriptor says, all cores.
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "program.h"
#include "watch.h"

// What stands behind a kernel's arguments: the packet, the queue, what a cooperative launch synchronises with.
enum { PACKET = 64, QUEUE = 256, GRID = 64, BEHIND = PACKET + QUEUE + GRID };
enum { BUDGET = 20000, PRINTED = 16 << 20, DYNAMIC_STACK = 16384, CORES = 256, NEAR = 1 << 20 };

typedef struct Prepared {
    u8 *arguments, *printed, *packet, *queue, *grid;
    Range *ranges;
} Prepared;

static u64 hidden(const Request *r, u32 kind, const Prepared *made) {
    const u32 *g = r->grid, *b = r->block;
    if (kind >= HIDDEN_BLOCK_COUNT_X && kind <= HIDDEN_BLOCK_COUNT_Z) return g[kind - HIDDEN_BLOCK_COUNT_X];
    if (kind >= HIDDEN_GROUP_SIZE_X && kind <= HIDDEN_GROUP_SIZE_Z) return b[kind - HIDDEN_GROUP_SIZE_X];
    if (kind == HIDDEN_GRID_DIMS) return g[2] * b[2] > 1 ? 3 : g[1] * b[1] > 1 ? 2 : 1;
    if (kind == HIDDEN_DYNAMIC_LDS_SIZE) return r->dynamic_lds;
    if (kind == HIDDEN_PRINTF_BUFFER) return (u64)made->printed;
    if (kind == HIDDEN_MULTIGRID_SYNC) return r->cooperative ? (u64)made->grid : 0;
    return 0;  // remainders and offsets are none; what is missing faults where it is used
}

static u64 kernarg_size(const Kernel *k) { return ((k->kernarg_size > 8 ? k->kernarg_size : 8) + 63) & ~63ul; }

// As the device library lays it out: grids that wait for one another, this one's counters, its number of groups.
static void fill_grid(const Request *r, u8 *grid) {
    u64 groups = (u64)r->grid[0] * r->grid[1] * r->grid[2];
    ((u32 *)grid)[3] = 1;
    ((u64 *)grid)[3] = groups * r->block[0] * r->block[1] * r->block[2];
    ((u32 *)grid)[10] = (u32)groups;
}

static int prepare(Program *p, const Kernel *k, Request *r, Prepared *made) {
    const Piece *pieces = machine_arguments(p, k);
    made->arguments = aligned_alloc(64, kernarg_size(k) + BEHIND);
    if (!made->arguments) return 0;
    memset(made->arguments, 0, kernarg_size(k) + BEHIND);
    made->packet = made->arguments + kernarg_size(k), made->queue = made->packet + PACKET, made->grid = made->queue + QUEUE;
    fill_grid(r, made->grid);
    memcpy(made->arguments, r->arguments, r->arguments_size < k->kernarg_size ? r->arguments_size : k->kernarg_size);
    for (u32 n = 0; n < k->arguments; n++) {
        if (pieces[n].kind < ARGUMENT_HIDDEN || pieces[n].kind >= HIDDEN_HEAP) continue;
        if (pieces[n].kind == HIDDEN_PRINTF_BUFFER) {
            if (!(made->printed = malloc(PRINTED))) return 0;
            ((u32 *)made->printed)[0] = 0, ((u32 *)made->printed)[1] = PRINTED - 8;
        }
        u64 value = hidden(r, pieces[n].kind, made);
        memcpy(made->arguments + pieces[n].offset, &value, pieces[n].size < 8 ? pieces[n].size : 8);
    }
    return 1;
}

// The packet of the dispatch, as HSA lays it out.
static void fill_packet(const Kernel *k, const Request *r, u8 *packet, u32 scratch, u32 lds) {
    ((u16 *)packet)[1] = 3;
    for (int n = 0; n < 3; n++) {
        ((u16 *)packet)[2 + n] = (u16)r->block[n];
        ((u32 *)packet)[3 + n] = r->grid[n] * r->block[n];
    }
    ((u32 *)packet)[6] = scratch, ((u32 *)packet)[7] = lds;
}

static int by_start(const void *a, const void *b) {
    u64 x = ((const Range *)a)->start, y = ((const Range *)b)->start;
    return x < y ? -1 : x > y;
}

// Sorted, with pieces that overlap joined: they may come from one array.
static u64 gather(Program *p, const Kernel *k, const Request *r, Prepared *made) {
    u64 blocks = COUNT(p, SECTION_BLOCKS), count = 0, kept = 0;
    Range *all = made->ranges = malloc((r->range_count + blocks + 5) * sizeof(Range));
    if (!all) return 0;
    for (u64 n = 0; n < r->range_count; n++)
        if (r->ranges[n].end > r->ranges[n].start) all[count++] = r->ranges[n];
    for (u64 n = 0; n < blocks; n++)
        if (p->blocks[n].size) {
            Block b = p->blocks[n];
            all[count++] = (Range){(u64)b.data, (u64)b.data + b.size, b.writable, ~0u - (u32)n - 1};
        }
    u64 start = (u64)made->arguments;
    u64 grid = (u64)made->grid;
    all[count++] = (Range){start, grid, 0, ~0u};
    all[count++] = (Range){grid, grid + GRID, 1, ~0u};
    if (made->printed) all[count++] = (Range){(u64)made->printed, (u64)made->printed + PRINTED, 1, ~0u};
    qsort(all, count, sizeof(Range), by_start);
    for (u64 n = 0; n < count; n++) {
        if (kept && all[n].start < all[kept - 1].end) {
            if (all[n].end > all[kept - 1].end) all[kept - 1].end = all[n].end;
            all[kept - 1].writable |= all[n].writable;
        } else all[kept++] = all[n];
    }
    return kept;
}

static void fill_registers(const Kernel *k, const Prepared *made, u32 scratch, Launch *l) {
    u32 n = 0;
#define POINTER(x) (l->sgprs[n] = (u32)(u64)(x), l->sgprs[n + 1] = (u32)((u64)(x) >> 32), n += 2)
    if (k->handed & HAND_SCRATCH_BUFFER) POINTER((u64)SCRATCH_BUFFER << 32), POINTER(~0u);
    if (k->handed & HAND_DISPATCH) POINTER(made->packet);
    if (k->handed & HAND_QUEUE) POINTER(made->queue);
    if (k->handed & HAND_KERNARG) POINTER(made->arguments);
    if (k->handed & HAND_DISPATCH_ID) POINTER(0);
    if (k->handed & HAND_SCRATCH_INIT) POINTER(0);
    if (k->handed & HAND_SCRATCH_SIZE) l->sgprs[n++] = scratch;
#undef POINTER
    for (u32 at = 0; at < k->preload_length && n < 32; at++)
        memcpy(&l->sgprs[n++], made->arguments + 4 * (k->preload_offset + at), 4);
    l->user_sgprs = k->user_sgprs < 32 ? k->user_sgprs : 32;
}

static const char *FAULTS[] = {
    [FAULT_READ] = "reads %lu bytes at 0x%lx, which belong to nothing the kernel was given",
    [FAULT_WRITE] = "writes %lu bytes at 0x%lx, which belong to nothing the kernel may write to",
    [FAULT_ATOMIC] = "changes %lu bytes at 0x%lx, which belong to nothing the kernel may write to",
    [FAULT_LDS] = "reaches %lu bytes at 0x%lx of LDS, which end before",
    [FAULT_SCRATCH] = "reaches %lu bytes at 0x%lx of scratch, which end before",
    [FAULT_JUMP] = "jumps (%lu) to 0x%lx, which is no code",
    [FAULT_MISALIGNED] = "changes %lu bytes at 0x%lx, which is not aligned",
};

// Which memory is nearest to where the kernel reached, and how far away it is.
static void describe(const Launch *l, Request *r) {
    const Range *nearest = 0;
    u64 distance = ~0ul, used = strlen(r->why);
    const char *freed = r->freed ? r->freed(r->address) : 0;
    if (freed) {
        snprintf(r->why + used, sizeof r->why - used, ": inside %s", freed);
        return;
    }
    for (u64 n = 0; n < l->memory.count; n++) {
        const Range *one = &l->memory.ranges[n];
        u64 away = r->address < one->start ? one->start - r->address : r->address >= one->end ? r->address - one->end : 0;
        if (away < distance) distance = away, nearest = one;
    }
    if (!nearest || distance > NEAR) return;
    const char *name = r->name_of ? r->name_of(nearest->number) : 0;
    const char *side = r->address < nearest->start ? "before the start of" : r->address >= nearest->end ? "behind the end of" : "inside";
    char away[64] = "";
    if (r->address < nearest->start || r->address >= nearest->end) snprintf(away, sizeof away, "%lu bytes ", distance);
    snprintf(r->why + used, sizeof r->why - used, ": %s%s %s (%lu bytes%s)", away, side, name && *name ? name : "memory", nearest->end - nearest->start,
             nearest->writable ? "" : ", read only");
}

static void explain(Program *p, const Launch *l, Request *r) {
    const Wave *w = &l->report;
    r->reason = l->reason, r->fault = w->fault, r->lane = w->fault_lane, r->wave = w->wave_number;
    r->address = w->fault_address, r->size = w->fault_size;
    memcpy(r->group, l->report_group, sizeof r->group);
    u64 op = w->pc >= l->code ? (u64)(w->pc - l->code) : 0;
    r->op = (u32)(op < p->op_count ? op : p->op_count - 1);
    const char *why = 0;
    if (r->reason == REASON_TRAP) why = "a trap: an assertion failed, or the program gave up";
    else if (r->reason == REASON_ENDLESS) why = "a loop does not end";
    else if (r->reason == REASON_DEADLOCK) why = "waves wait for ever: nothing that they look at can change any more";
    else if (r->reason == REASON_MEMORY) why = "not enough memory for a workgroup's registers";
    if (r->reason == REASON_FAULT && r->fault == FAULT_NONE) {
        r->reason = REASON_UNKNOWN, why = "an instruction that the machine does not know";
        for (u64 n = 0; n < COUNT(p, SECTION_UNKNOWN); n++)
            if (TABLE(p, Unknown, SECTION_UNKNOWN)[n].op == r->op)
                why = machine_string(p, TABLE(p, Unknown, SECTION_UNKNOWN)[n].text);
    }
    if (r->fault == FAULT_ASSERTION) why = "an assertion failed";
    if (why) snprintf(r->why, sizeof r->why, "%s", why);
    else snprintf(r->why, sizeof r->why, FAULTS[r->fault], r->size, r->address);
    if (!why && (r->fault == FAULT_READ || r->fault == FAULT_WRITE || r->fault == FAULT_ATOMIC)) describe(l, r);
}

// Any core may come here.
static void note_beyond(Wave *w, const Op *op, u64 lane, u64 address, u64 size, const Range *range) {
    Launch *l = (Launch *)((u8 *)w->memory - offsetof(Launch, memory));
    u32 number = (u32)(op - w->code), n = 0;
    while (__atomic_exchange_n(&l->beyond_lock, 1, 5)) {}
    while (n < l->beyond_count && l->beyond[n].op != number) n++;
    if (n < BEYOND_MOST && n == l->beyond_count) {
        u32 y = w->s[TTMP + 7];
        l->beyond[l->beyond_count++] = (Seen){
            SEEN_BEYOND, 0, number, ~0u, {w->s[TTMP + 9], y & 0xffff, y >> 16}, .wave = w->wave_number, .lane = (u32)lane,
            .range = range->number, .address = address, .size = size, .offset = address - range->start,
        };
    }
    if (n < BEYOND_MOST) l->beyond[n].count++;
    __atomic_store_n(&l->beyond_lock, 0, 5);
}

static void tell_beyond(const Launch *l, Request *r) {
    if (!l->beyond_count) return;
    Seen *all = realloc(r->seen, (r->seen_count + l->beyond_count) * sizeof *all);
    if (!all) return;
    memmove(all + l->beyond_count, all, r->seen_count * sizeof *all);  // behind what is perhaps their cause
    memcpy(all, l->beyond, l->beyond_count * sizeof *all);
    r->seen = all, r->seen_count += l->beyond_count;
}

static void *work(void *launch) {
    run_launch(launch);
    return 0;
}

// `done` and `stop` are the caller's, so that he can look and end it.
static void on_all(Launch *l, u32 cores) {
    pthread_t threads[CORES];
    u32 started = 0;
    if (cores > CORES) cores = CORES;
    while (started + 1 < cores && started + 1 < l->groups && !pthread_create(&threads[started], 0, work, l)) started++;
    work(l);
    for (u32 n = 0; n < started; n++) pthread_join(threads[n], 0);
}

static int refuse(Request *r, const char *why) {
    snprintf(r->why, sizeof r->why, "%s", why);
    return (int)(r->reason = REASON_REFUSED);
}

int machine_launch(Program *p, Request *r) {
    const Kernel *k = machine_kernel_at(p, r->kernel);
    if (!k) return refuse(r, "there is no such kernel");
    if (k->refused) return refuse(r, machine_string(p, k->refused));
    Prepared made = {0};
    Launch *l = aligned_alloc(64, (sizeof *l + 63) & ~63ul);
    u32 scratch = k->dynamic_stack && k->scratch < DYNAMIC_STACK ? DYNAMIC_STACK : k->scratch;
    r->groups = (u64)r->grid[0] * r->grid[1] * r->grid[2];
    r->reason = REASON_MEMORY;
    snprintf(r->why, sizeof r->why, "not enough memory for a launch");
    if (l) memset(l, 0, sizeof *l);
    if (!l || !prepare(p, k, r, &made)) goto end;
    fill_packet(k, r, made.packet, scratch, k->lds + r->dynamic_lds);
    l->code = p->ops, l->code_size = p->op_count, l->entry = k->entry;
    if (!(l->memory.count = gather(p, k, r, &made))) goto end;
    l->memory.ranges = made.ranges, l->memory.beyond = r->has_blocks ? note_beyond : 0, l->memory.answer = r->answer;
    memcpy(l->grid, r->grid, sizeof l->grid), memcpy(l->block, r->block, sizeof l->block);
    l->vgprs = k->vgprs, l->lds_size = k->lds + r->dynamic_lds, l->scratch_size = (scratch + 15) & ~15u;
    fill_registers(k, &made, scratch, l);
    l->group_ids = k->group_ids, l->packed_ids = 1, l->id_registers = k->id_registers;
    l->budget = BUDGET, l->limit = r->limit, l->groups = r->groups;
    l->stop = &r->stop, l->done = &r->done;
    if (r->watch || r->order) {
        l->code = p->watched;
        if (!(l->watch = begin_watching(l, p->records, r))) goto end;
    }
    on_all(l, l->watch ? 1 : r->cores);
    r->reason = REASON_NONE, r->why[0] = 0;
    if (l->reason) explain(p, l, r);
    else if (r->done < r->groups) r->reason = REASON_STOPPED;
    if (made.printed) r->printed = printed_text(p, made.printed, PRINTED, &r->printed_size);
end:
    if (l && l->watch) end_watching(l->watch, r);
    if (l) tell_beyond(l, r);
    free(made.arguments), free(made.printed), free(made.ranges), free(l);
    return (int)r->reason;
}
