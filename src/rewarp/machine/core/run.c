// Runs the workgroups of a launch. Waves keep no state outside of their registers, so that they are left and entered
// again at any instruction that stops: a barrier, a sleep, a loop that goes on for long.
#include <stdlib.h>
#include <string.h>
#include "launch.h"

typedef struct Group {
    Wave *waves;
    u8 *lds, *scratch;
    u32 *registers;
    u8 *state;  // of each wave
    u64 *rounds;
    u32 count, live, id[3];
    struct Group *next;
} Group;
enum { READY, WAITING, DONE };

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
    return g->waves && g->state && g->rounds && g->lds && g->scratch && g->registers ? g : 0;
}

static void drop_group(Group *g) {
    free(g->waves), free(g->state), free(g->rounds), free(g->lds), free(g->scratch), free(g->registers), free(g);
}

static void start_group(const Launch *l, Group *g, u64 number) {
    g->id[0] = (u32)(number % l->grid[0]), g->id[1] = (u32)(number / l->grid[0] % l->grid[1]);
    g->id[2] = (u32)(number / l->grid[0] / l->grid[1]);
    g->live = g->count;
    memset(g->lds, 0, l->lds_size);
    memset(g->registers, 0, (u64)g->count * l->vgprs * LANES * 4);
    for (u32 n = 0; n < g->count; n++) start_wave(l, g, n), g->state[n] = READY, g->rounds[n] = 0;
}

static void give_up(Launch *l, u32 reason, const Group *g, const Wave *w) {
    u32 none = REASON_NONE;
    if (__atomic_compare_exchange_n(&l->reason, &none, reason, 0, 5, 5) && w) {
        l->report = *w;
        for (int n = 0; n < 3; n++) l->report_group[n] = g->id[n];
    }
    __atomic_store_n(l->stop, 1, 5);
}

// Runs every wave that can; tells whether the group came forward, rather than turning in circles.
static int run_group(Launch *l, Group *g) {
    int forward = 0;
    for (;;) {
        u32 waiting = 0, ran = 0;
        for (u32 n = 0; n < g->count; n++) {
            if (g->state[n] == WAITING) waiting++;
            if (g->state[n] != READY) continue;
            Wave *w = &g->waves[n];
            int why = w->pc->run(w, w->pc);
            if (why == STOP_END) g->state[n] = DONE, g->live--, ran = 1;
            else if (why == STOP_BARRIER) g->state[n] = WAITING, waiting++, ran = 1;
            else if (why == STOP_YIELD) {
                w->budget = l->budget;
                if (l->limit && ++g->rounds[n] > l->limit) { give_up(l, REASON_ENDLESS, g, w); return 0; }
            } else {
                give_up(l, why == STOP_TRAP ? REASON_TRAP : REASON_FAULT, g, w);
                return 0;
            }
        }
        if (__atomic_load_n(l->stop, 5)) return 0;
        forward |= (int)ran;
        if (!g->live) return 1;
        // Waves that have ended are not waited for.
        if (waiting == g->live) {
            for (u32 n = 0; n < g->count; n++)
                if (g->state[n] == WAITING) g->state[n] = READY;
            forward = 1;
        } else if (!ran) return forward;
    }
}

// What one core does: groups one after another, and others beside one that waits for them.
int run_launch(Launch *l) {
    Group *active = 0, *idle = 0;
    for (;;) {
        int forward = 0;
        for (Group **at = &active; *at;) {
            Group *g = *at;
            forward |= run_group(l, g);
            if (__atomic_load_n(l->stop, 5)) goto end;
            if (!g->live) {
                *at = g->next, g->next = idle, idle = g;
                __atomic_fetch_add(l->done, 1, 0);
            }
            else at = &g->next;
        }
        if (!active || !forward) {
            u64 number = __atomic_fetch_add(&l->next, 1, 5);
            if (number < l->groups) {
                Group *g = idle ? idle : make_group(l);
                if (!g) { give_up(l, REASON_MEMORY, 0, 0); goto end; }
                if (idle) idle = idle->next;
                start_group(l, g, number);
                g->next = active, active = g;
            } else if (!active) break;
        }
    }
end:
    while (active) { Group *g = active; active = g->next; drop_group(g); }
    while (idle) { Group *g = idle; idle = g->next; drop_group(g); }
    return (int)l->reason;
}
