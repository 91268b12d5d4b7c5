// Runs the workgroups of a launch. Waves keep no state outside of their registers, so that they are left and entered
// again at any instruction that stops: a barrier, a sleep, a loop that goes on for long.
#include <stdlib.h>
#include <string.h>
#include "watch.h"

typedef struct Group {
    Wave *waves;
    u8 *lds, *scratch;
    u32 *registers;
    u8 *state;  // of each wave
    u64 *rounds;
    u32 count, live, id[3];
    struct Group *next;
    GroupWatch *watch;
} Group;

enum { REVERSED = 1, MIXED_GROUPS = 4, PATIENCE = 256 };

static u64 random_below(Watch *k, u64 limit) {
    k->random ^= k->random << 13, k->random ^= k->random >> 7, k->random ^= k->random << 17;
    return k->random % limit;
}

static u32 threads(const Launch *l) { return l->block[0] * l->block[1] * l->block[2]; }

static void start_wave(const Launch *l, Group *g, u32 number) {
    Wave *w = &g->waves[number];
    memset(w, 0, sizeof *w);
    w->v = g->registers + (u64)number * l->vgprs * LANES;
    w->lds = g->lds, w->lds_size = l->lds_size;
    w->scratch = g->scratch + (u64)number * l->scratch_size * LANES, w->scratch_size = l->scratch_size;
    w->code = l->code, w->code_size = l->code_size, w->pc = l->code + l->entry;
    w->memory = &l->memory, w->budget = l->budget, w->mode = l->mode, w->wave_number = number;
    u32 n = l->user_sgprs;
    for (u32 at = 0; at < n; at++) w->s[at] = l->sgprs[at];
    for (u32 axis = 0; axis < 3; axis++)
        if (l->group_ids >> axis & 1) w->s[n++] = g->id[axis];
    w->s[TTMP + 9] = g->id[0], w->s[TTMP + 7] = g->id[1] | g->id[2] << 16;  // where gfx12 looks for them
    u32 first = number * LANES, all = threads(l);
    u32 on = all - first < LANES ? all - first : LANES;
    set_mask(w, EXEC, on == LANES ? ALL : (mask)(((u64)1 << on) - 1));
    u32 *ids = w->v;
    for (u32 lane = 0; lane < LANES; lane++) {
        u32 item = first + lane, x = item % l->block[0], y = item / l->block[0] % l->block[1], z = item / l->block[0] / l->block[1];
        if (l->packed_ids) ids[lane] = x | y << 10 | z << 20;
        else {
            ids[lane] = x;
            if (l->id_registers > 0) ids[LANES + lane] = y;
            if (l->id_registers > 1) ids[2 * LANES + lane] = z;
        }
    }
}

static void *reserve(u64 size) { return aligned_alloc(256, (size + 511) & ~255ul); }

static Group *make_group(const Launch *l) {
    Group *g = reserve(sizeof *g);
    if (!g) return 0;
    memset(g, 0, sizeof *g);
    g->count = (threads(l) + LANES - 1) / LANES;
    g->waves = reserve(g->count * sizeof(Wave)), g->state = reserve(g->count), g->rounds = reserve(g->count * 8);
    g->lds = reserve(l->lds_size), g->scratch = reserve((u64)g->count * l->scratch_size * LANES);
    g->registers = reserve((u64)g->count * l->vgprs * LANES * 4);
    g->watch = l->watch ? watch_group(l->watch) : 0;
    return g->waves && g->state && g->rounds && g->lds && g->scratch && g->registers && (g->watch || !l->watch) ? g : 0;
}

static void drop_group(Group *g) {
    if (g->watch) unwatch_group(g->watch);
    free(g->waves), free(g->state), free(g->rounds), free(g->lds), free(g->scratch), free(g->registers), free(g);
}

static void start_group(const Launch *l, Group *g, u64 number) {
    g->id[0] = (u32)(number % l->grid[0]), g->id[1] = (u32)(number / l->grid[0] % l->grid[1]);
    g->id[2] = (u32)(number / l->grid[0] / l->grid[1]);
    g->live = g->count;
    memset(g->lds, 0, l->lds_size);
    memset(g->registers, 0, (u64)g->count * l->vgprs * LANES * 4);
    for (u32 n = 0; n < g->count; n++) start_wave(l, g, n), g->state[n] = READY, g->rounds[n] = 0;
    if (g->watch) start_watching(g->watch, g->waves, (u32)number);
}

static void give_up(Launch *l, u32 reason, const Group *g, const Wave *w) {
    u32 none = REASON_NONE;
    if (__atomic_compare_exchange_n(&l->reason, &none, reason, 0, 5, 5) && w) {
        l->report = *w;
        for (int n = 0; n < 3; n++) l->report_group[n] = g->id[n];
    }
    __atomic_store_n(l->stop, 1, 5);
}

// Runs one wave until it stops. 1: it came forward; 0: it turned in circles; -1: that is all.
static int run_wave(Launch *l, Group *g, u32 n) {
    Wave *w = &g->waves[n];
    int why = w->pc->run(w, w->pc);
    if (l->watch) l->watch->changes += w->changes, w->changes = 0;
    if (why == STOP_END) g->state[n] = DONE, g->live--;
    else if (why == STOP_BARRIER) {
        g->state[n] = WAITING;
        if (l->watch) came_to_barrier(w);
    } else if (why == STOP_YIELD) {
        w->budget = l->budget;
        if (l->watch) is_stuck(w);
        if (!l->limit || ++g->rounds[n] <= l->limit) return 0;
        give_up(l, REASON_ENDLESS, g, w);
        return -1;
    } else if (why == STOP_TURN) return 0;
    else {
        give_up(l, why == STOP_TRAP ? REASON_TRAP : REASON_FAULT, g, w);
        return -1;
    }
    return 1;
}

// Waves that have ended are not waited for.
static int open_barrier(Group *g) {
    u32 waiting = 0;
    for (u32 n = 0; n < g->count; n++) waiting += g->state[n] == WAITING;
    if (!g->live || waiting != g->live) return 0;
    if (g->watch) pass_barrier(g->watch, g->waves, g->state);
    for (u32 n = 0; n < g->count; n++)
        if (g->state[n] == WAITING) g->state[n] = READY;
    return 1;
}

// Runs every wave that can; tells whether the group came forward, rather than turning in circles.
static int run_group(Launch *l, Group *g) {
    int forward = 0;
    for (;;) {
        int ran = 0;
        for (u32 n = 0; n < g->count; n++) {
            if (g->state[n] != READY) continue;
            int came = run_wave(l, g, n);
            if (came < 0) return 0;
            ran |= came;
        }
        if (__atomic_load_n(l->stop, 5)) return 0;
        forward |= ran;
        if (!g->live) return 1;
        if (open_barrier(g)) forward = 1;
        else if (!ran) return forward;
    }
}

// One round in a hostile order: every wave for a few accesses to memory.
static int run_group_mixed(Launch *l, Group *g) {
    Watch *k = l->watch;
    u64 start = random_below(k, g->count);
    int ran = 0;
    for (u32 at = 0; at < g->count; at++) {
        u32 n = k->order == REVERSED ? g->count - 1 - at : (u32)((start + at) % g->count);
        if (g->state[n] != READY) continue;
        g->waves[n].turn = (i64)random_below(k, k->order == REVERSED ? 64 : 4);
        int came = run_wave(l, g, n);
        if (came < 0) return 0;
        ran |= came;
    }
    return open_barrier(g) || ran;
}

// Which group comes next. An odd step that shares no factor with their number reaches all of them.
static u64 in_order(const Launch *l, u64 number) {
    u64 order = l->watch ? l->watch->order : 0, step = order | 1;
    if (!order) return number;
    if (order == REVERSED) return l->groups - 1 - number;
    for (;; step += 2) {
        u64 a = step, b = l->groups;
        while (b) { u64 rest = a % b; a = b, b = rest; }
        if (a == 1) return (u64)((u128)number * step + order) % l->groups;
    }
}

// Every wave that has not ended waits for others, at a barrier or in a loop, and nothing can change any more.
static int is_deadlock(Launch *l, Group *active) {
    if (!l->watch || l->next < l->groups) return 0;
    Group *blamed = 0;
    u32 which = 0;
    for (Group *g = active; g; g = g->next)
        for (u32 n = 0; n < g->count; n++) {
            if (g->state[n] == READY && g->waves[n].watch->stuck != l->watch->changes + 1) return 0;
            if (g->state[n] == READY) blamed = g, which = n;
        }
    if (!blamed) return 0;
    note(&blamed->waves[which], blamed->waves[which].pc, SEEN_DEADLOCK, first_lane(exec(&blamed->waves[which])), 0, 0, 0, ~0u);
    give_up(l, REASON_DEADLOCK, blamed, &blamed->waves[which]);
    return 1;
}

static int add_group(Launch *l, Group **active, Group **idle) {
    u64 number = __atomic_fetch_add(&l->next, 1, 5);
    if (number >= l->groups) return 0;
    Group *g = *idle ? *idle : make_group(l);
    if (!g) { give_up(l, REASON_MEMORY, 0, 0); return 0; }
    if (*idle) *idle = g->next;
    start_group(l, g, in_order(l, number));
    g->next = *active, *active = g;
    return 1;
}

// What one core does: groups one after another, and others beside one that waits for them.
int run_launch(Launch *l) {
    Group *active = 0, *idle = 0;
    int mixed = l->watch && l->watch->order;
    u32 still = 0;  // rounds without a step forward
    for (;;) {
        int forward = 0, count = 0;
        for (Group **at = &active; *at;) {
            Group *g = *at;
            forward |= mixed ? run_group_mixed(l, g) : run_group(l, g);
            count++;
            if (__atomic_load_n(l->stop, 5)) goto end;
            if (!g->live) {
                *at = g->next, g->next = idle, idle = g;
                __atomic_fetch_add(l->done, 1, 0);
            }
            else at = &g->next;
        }
        still = forward ? 0 : still + 1;
        if (!active || (mixed ? count < MIXED_GROUPS || still > PATIENCE : !forward)) {
            still = 0;
            if (!add_group(l, &active, &idle) && !active) break;
        }
        if (!forward && is_deadlock(l, active)) break;
        if (__atomic_load_n(l->stop, 5)) break;
    }
end:
    while (active) { Group *g = active; active = g->next; drop_group(g); }
    while (idle) { Group *g = idle; idle = g->next; drop_group(g); }
    return (int)l->reason;
}
