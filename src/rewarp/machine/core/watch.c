// Watching a launch: what its groups and waves begin with, what barriers and waves that give way tell.
#include <stdlib.h>
#include <string.h>
#include "watch.h"

static void fill_shadows(Watch *k, const Memory *m, const Request *r) {
    k->shadow_count = m->count;
    for (u64 n = 0; n < m->count; n++) {
        const Range *range = &m->ranges[n];
        k->shadows[n] = (Shadow){range->start, range->end, .writable = range->writable};
        for (u64 f = 0; f < r->fresh_count; f++) {
            const Fresh *fresh = &r->fresh[f];
            if (range->start >= fresh->start && range->end <= fresh->end && (range->start - fresh->start) % 8 == 0)
                k->shadows[n].known = fresh->known + (range->start - fresh->start) / 8;
        }
    }
    static Shadow none;
    k->last = &none;
}

Watch *begin_watching(const Launch *l, Record *records, const Request *r) {
    Watch *k = calloc(1, sizeof *k);
    if (!k) return 0;
    u32 threads = l->block[0] * l->block[1] * l->block[2];
    k->launch = l, k->records = records;
    k->order = r->order, k->random = r->order * 0x9e3779b97f4a7c15ul | 1;
    k->waves_of_group = (threads + LANES - 1) / LANES;
    k->weak_stores = LANES == 32;  // stores of atomics look like any other
    k->shadows = calloc(l->memory.count + 1, sizeof(Shadow));
    k->guesses = calloc(l->code_size + 1, 1);
    k->steps = calloc(l->groups * k->waves_of_group + 2, sizeof(Step *));
    k->seen = calloc(SEEN_MOST, sizeof(Seen));
    if (!k->shadows || !k->guesses || !k->steps || !k->seen) { end_watching(k, 0); return 0; }
    fill_shadows(k, &l->memory, r);
    return k;
}

// A read that only guesses what a compare-and-swap then checks races with nobody.
static int is_guess(const Watch *k, const Seen *s) {
    if (s->kind < SEEN_LDS_RACE || s->kind > SEEN_GRID_RACE) return 0;
    int mine = !(s->how & (SEEN_WRITES | SEEN_ATOMIC)) && k->guesses[s->op];
    int theirs = !(s->how & (SEEN_OTHER_WROTE | SEEN_OTHER_ATOMIC)) && k->guesses[s->other_op];
    return (mine && s->how & SEEN_OTHER_ATOMIC) || (theirs && s->how & SEEN_ATOMIC);
}

void end_watching(Watch *k, Request *r) {
    if (r) {
        u64 kept = 0;
        for (u64 n = 0; n < k->seen_count; n++)
            if (!is_guess(k, &k->seen[n])) k->seen[kept++] = k->seen[n];
        r->seen = k->seen, r->seen_count = kept, r->seen_forgotten = k->forgotten, k->seen = 0;
    }
    for (u64 n = 0; n < k->shadow_count; n++) free(k->shadows[n].rows);
    for (Arena *at = k->arena; at;) { Arena *next = at->next; free(at); at = next; }
    free(k->shadows), free(k->guesses), free(k->steps), free(k->seen), free(k->published), free(k->left), free(k);
}

// --- groups -----------------------------------------------------------------------------------

GroupWatch *watch_group(Watch *k) {
    const Launch *l = k->launch;
    u64 count = k->waves_of_group, words = l->lds_size / 4 + 2;
    GroupWatch *g = calloc(1, sizeof *g);
    if (!g) return 0;
    g->watch = k, g->count = (u32)count;
    g->waves = calloc(count, sizeof(WaveWatch));
    g->lds = calloc(words, sizeof(LdsCell)), g->lds_read_op = calloc(words, 4);
    g->bytes = calloc(words * 4, sizeof(LdsByte)), g->lds_changers = calloc(words, 4);
    g->knowledge = calloc(count * (2 * count + 1), 4);
    g->scratch = calloc(count * LANES * (l->scratch_size / 4) + 1, 2);
    g->bits = malloc(count * l->vgprs * LANES * 4);
    if (g->waves && g->lds && g->lds_read_op && g->bytes && g->lds_changers && g->knowledge && g->scratch && g->bits) return g;
    unwatch_group(g);
    return 0;
}

void unwatch_group(GroupWatch *g) {
    free(g->waves), free(g->lds), free(g->lds_read_op), free(g->bytes), free(g->lds_changers), free(g->knowledge), free(g->scratch), free(g->bits), free(g);
}

void start_watching(GroupWatch *g, Wave *waves, u32 number) {
    const Launch *l = g->watch->launch;
    u32 count = g->count, words = l->lds_size / 4 + 2;
    u32 handed = l->user_sgprs + (u32)__builtin_popcount(l->group_ids & 15);  // and where scratch begins
    g->number = number, g->base = 1, g->origin = 0, g->has_locks = 0;
    memset(g->lds, 0, words * sizeof(LdsCell)), memset(g->knowledge, 0, count * (2 * count + 1) * 4ul);
    g->lock_known = g->knowledge + 2ul * count * count;
    if (!++g->turn) memset(g->scratch, 0, (u64)count * LANES * (l->scratch_size / 4) * 2), g->turn = 1;
    for (u32 n = 0; n < count; n++) {
        WaveWatch *one = &g->waves[n];
        Wave *w = &waves[n];
        w->watch = one, w->seen = seen_access, w->turn = (i64)(~0ul >> 1);
        forget_registers(one, l->vgprs, handed, l->packed_ids ? 0 : l->id_registers);
        one->bits = g->bits + (u64)n * l->vgprs * LANES, one->group = g;
        one->id = number * count + n + 1, one->clock = 1;
        one->known = g->knowledge + (u64)n * count, one->released = one->known + (u64)count * count;
        one->references = 0, one->snapshot = 0, one->met = one->is_dirty = one->has_released = one->sure_wave = 0;
        one->started = exec(w), one->missed = 0, one->stuck = 0;
        memset(one->states, 0, sizeof one->states);
    }
}

// --- barriers ---------------------------------------------------------------------------------

void came_to_barrier(Wave *w) {
    WaveWatch *k = w->watch;
    u32 op = (u32)(w->pc - 1 - w->code);
    if (k->missed & exec(w)) note(w, w->code + k->missed_op, SEEN_DIVERGED_BARRIER, (u32)__builtin_ctzl(k->missed & exec(w)), 0, 0, 0, op);
    k->missed = k->started & ~(u64)exec(w), k->missed_op = op;
}

void pass_barrier(GroupWatch *g, Wave *waves, const u8 *state) {
    const Wave *first = 0;
    for (u32 n = 0; n < g->count; n++) {
        if (state[n] != WAITING) continue;
        if (first && waves[n].pc != first->pc)
            note(&waves[n], waves[n].pc - 1, SEEN_OTHER_BARRIER, 0, 0, 0, first->watch->id, (u32)(first->pc - 1 - first->code));
        if (!first) first = &waves[n];
    }
    for (u32 n = 0; first && n < g->count; n++)
        if (state[n] != WAITING) {
            note((Wave *)first, first->pc - 1, SEEN_ENDED_BARRIER, 0, 0, 0, g->waves[n].id, (u32)(waves[n].pc - waves[n].code));
            break;
        }
    meet(g);
    if (g->base - g->origin < LDS_CLOCKS) return;
    for (u64 n = 0; n < g->watch->launch->lds_size / 4 + 2; n++) g->lds[n].write_clock = 0, g->lds[n].read_base = 0, g->lds[n].flags &= ~(NARROW | READ_NARROW);
    memset(g->bytes, 0, (g->watch->launch->lds_size / 4 + 2) * 4 * sizeof *g->bytes);
    g->origin = g->base - 1;
}

// --- waves that give way ----------------------------------------------------------------------

int is_stuck(Wave *w) {
    WaveWatch *k = w->watch;
    Watch *all = k->group->watch;
    u64 hash = (u64)(w->pc - w->code) ^ w->clock << 32 ^ all->changes * 0x9e3779b97f4a7c15ul;
    const u64 *v = (const u64 *)w->v, *s = (const u64 *)w->s;
    for (u64 n = 0; n < (u64)all->launch->vgprs * LANES / 2; n++) hash = (hash ^ v[n]) * 0x9e3779b97f4a7c15ul + (hash >> 29);
    for (u64 n = 0; n < SGPRS / 2; n++) hash = (hash ^ s[n]) * 0x9e3779b97f4a7c15ul + (hash >> 29);
    hash = hash ^ w->scc;
    for (int n = 0; n < 4; n++)
        if (k->states[n] == hash) { k->stuck = all->changes + 1; return 1; }
    memmove(k->states + 1, k->states, 3 * sizeof(u64));
    k->states[0] = hash, k->stuck = 0;
    return 0;
}
