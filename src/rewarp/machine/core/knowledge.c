// Who knows of whom: which accesses of other waves came before, by barriers, or by releases that were seen through atomics.
//
// A wave has a clock that moves on at barriers and releases. Within a workgroup a table says up to which clock each wave
// is known. Beyond it, a release leaves a snapshot; an atomic publishes the last one at its address; who reads the address
// refers to all that was published there. Nothing is copied: a question walks along references.
//
// A load that has come back needs no fence: whoever sees a flag that was stored after the barrier behind it may overwrite
// what it read. That a load is still under way at that barrier is not modelled.
#include <stdlib.h>
#include <string.h>
#include "watch.h"

struct Snapshot {
    u32 group, met;  // loads of its group with clocks below `met` had come back
    u64 visited;
    Reference *references;
    u32 known[];  // of each wave of its group
};
enum { TO_SNAPSHOT, TO_PUBLISHED, TO_LIST };
struct Reference {
    u32 kind, count;
    union { Snapshot *snapshot; Published *published; Reference *list; } to;
    Reference *next;
    u64 visited;
};
enum { QUESTION_LIMIT = 1 << 20, LOOK_BACK = 8, ARENA_SIZE = 1 << 18 };

void *lasting(Watch *k, u64 size) {
    size = (size + 15) & ~15ul;
    if (!k->arena || k->arena->used + size > k->arena->size) {
        u64 room = size > ARENA_SIZE ? size : ARENA_SIZE;
        Arena *made = calloc(1, sizeof *made + room);
        if (!made) return 0;
        made->size = room, made->next = k->arena, k->arena = made;
    }
    void *found = (u8 *)(k->arena + 1) + k->arena->used;
    k->arena->used += size;
    return found;
}

static void refer(WaveWatch *me, u32 kind, void *to, u32 count) {
    Reference *at = me->references;
    for (int n = 0; at && n < LOOK_BACK; at = at->next, n++)
        if (at->to.list == to && at->count >= count) return;
    Reference *made = lasting(me->group->watch, sizeof *made);
    if (!made) return;
    made->kind = kind, made->count = count, made->to.list = to, made->next = me->references;
    me->references = made;
}

// --- what a wave gives away -----------------------------------------------------------------

static Snapshot *taken(WaveWatch *me) {
    GroupWatch *g = me->group;
    if (me->snapshot && me->snapshot->references == me->references && me->snapshot->met == me->met &&
        !memcmp(me->snapshot->known, me->released, g->count * 4)) return me->snapshot;
    Snapshot *made = lasting(g->watch, sizeof *made + g->count * 4);
    if (!made) return 0;
    made->group = g->number, made->met = me->met, made->references = me->references;
    memcpy(made->known, me->released, g->count * 4);
    return me->snapshot = made;
}

// Stores may be flags too: what they published is found by their clock.
static void step_on(WaveWatch *me) {
    Step **newest = &me->group->watch->steps[me->id];
    Snapshot *mine = taken(me);
    if (!mine || (*newest && (*newest)->snapshot == mine)) return;
    Step *made = lasting(me->group->watch, sizeof *made);
    if (!made) return;
    *made = (Step){me->id, me->clock, mine, *newest};
    *newest = made;
}

void release(WaveWatch *me, u32 how) {
    GroupWatch *g = me->group;
    u32 number = (u32)(me - g->waves);
    if (!me->is_dirty || (how == RELEASES_READS && me->is_dirty & DID_WRITE)) return;
    me->is_dirty = 0, me->has_released = 1, me->clock++;
    memcpy(me->released, me->known, g->count * 4);
    me->released[number] = me->clock;
    step_on(me);
}

void release_loads(WaveWatch *me) {
    if (me->met == me->group->base) return;
    me->met = me->group->base;
    step_on(me);
}

static Published **slot(Watch *k, u64 address) {
    u64 at = (address * 0x9e3779b97f4a7c15ul >> 20) & (k->published_room - 1);
    while (k->published[at] && k->published[at]->address != address) at = (at + 1) & (k->published_room - 1);
    return &k->published[at];
}

static Published *place_at(Watch *k, u64 address) {
    if (2 * k->published_count >= k->published_room) {
        u64 before = k->published_room;
        Published **old = k->published, **made = calloc(before ? 2 * before : 256, sizeof *made);
        if (!made) return 0;
        k->published = made, k->published_room = before ? 2 * before : 256;
        for (u64 n = 0; n < before; n++)
            if (old[n]) *slot(k, old[n]->address) = old[n];
        free(old);
    }
    Published **at = slot(k, address);
    if (!*at && (*at = lasting(k, sizeof **at))) (*at)->address = address, k->published_count++;
    return *at;
}

void publish(WaveWatch *me, u64 address) {
    Snapshot *mine = taken(me);
    Published *p = place_at(me->group->watch, address);
    if (!p || !mine || (p->count && p->all[p->count - 1] == mine)) return;
    if (p->count == p->room) {
        u32 room = p->room ? 2 * p->room : 8;
        Snapshot **made = lasting(me->group->watch, room * sizeof *made);
        if (!made) return;
        memcpy(made, p->all, p->count * sizeof *made);
        p->all = made, p->room = room;
    }
    p->all[p->count++] = mine;
}

// --- what it takes --------------------------------------------------------------------------

void acquire(WaveWatch *me, u64 address, const Cell *cell) {
    Watch *k = me->group->watch;
    if (cell->has_published) {
        Published *p = *slot(k, address);
        if (p && p->count) refer(me, TO_PUBLISHED, p, p->count);
    }
    u32 wave = cell->wave[LAST_WRITE];
    if (!wave || wave == me->id) return;
    for (Step *at = k->steps[wave]; at; at = at->before)
        if (at->clock <= cell->clock[LAST_WRITE]) {
            refer(me, TO_SNAPSHOT, at->snapshot, 0);
            return;
        }
}

// All waves that live meet at a barrier: each knows what any of them knew.
void meet(GroupWatch *g) {
    u32 base = 0, differ = 0, has_released = 0;
    for (u32 n = 0; n < g->count; n++) {
        WaveWatch *one = &g->waves[n];
        if (one->clock > base) base = one->clock;
        has_released |= one->has_released, differ |= one->references != g->waves[0].references;
    }
    g->base = ++base;
    if (has_released)
        for (u32 n = 0; n < g->count; n++)
            for (u32 of = 0; of < g->count; of++)
                if (g->waves[n].released[of] > g->waves[0].released[of]) g->waves[0].released[of] = g->waves[n].released[of];
    for (u32 n = 1; differ && n < g->count; n++)
        if (g->waves[n].references && g->waves[n].references != g->waves[0].references)
            refer(&g->waves[0], TO_LIST, g->waves[n].references, 0);
    for (u32 n = 0; n < g->count; n++) {
        WaveWatch *one = &g->waves[n];
        one->clock = base, one->is_dirty |= DID_READ, one->has_released = has_released;
        one->references = g->waves[0].references;
        for (u32 of = 0; of < g->count; of++) one->known[of] = base;
        if (!has_released) continue;
        if (n) memcpy(one->released, g->waves[0].released, g->count * 4), one->snapshot = g->waves[0].snapshot;
        step_on(one);
    }
}

// Locks in LDS: whoever takes or frees one knows what all before him knew. One lock is not told from another.
void lock(WaveWatch *me) {
    GroupWatch *g = me->group;
    u32 number = (u32)(me - g->waves);
    if (me->clock - g->origin > LDS_CLOCKS) return;
    me->known[number] = ++me->clock;
    for (u32 n = 0; n < g->count; n++) {
        if (g->lock_known[n] < me->known[n]) g->lock_known[n] = me->known[n];
        if (n != number) me->known[n] = g->lock_known[n];
    }
    g->has_locks = 1;
}

// --- questions ------------------------------------------------------------------------------

static int later(Watch *k, u64 *count, Reference *r) {
    if (!r) return 1;
    if (*count == k->left_room) {
        u64 room = k->left_room ? 2 * k->left_room : 256;
        Reference **made = realloc(k->left, room * sizeof *made);
        if (!made) return 0;
        k->left = made, k->left_room = room;
    }
    k->left[(*count)++] = r;
    return 1;
}

static int tells(Watch *k, Snapshot *s, u32 group, u32 local, u32 clock, int is_load, u64 *count, u64 *steps) {
    ++*steps;
    if (s->group == group && (clock < s->known[local] || (is_load && clock < s->met))) return 1;
    if (s->visited != k->query) s->visited = k->query, later(k, count, s->references);
    return 0;
}

static int asked(WaveWatch *me, u32 group, u32 local, u32 clock, int is_load) {
    Watch *k = me->group->watch;
    u64 count = 0, steps = 0;
    k->query++;
    later(k, &count, me->references);
    while (count) {
        for (Reference *r = k->left[--count]; r; r = r->next) {
            if (r->visited == k->query) break;  // and so is what follows it
            r->visited = k->query;
            if (++steps > QUESTION_LIMIT) return 1;  // not decided: no alarm
            if (r->kind == TO_SNAPSHOT && tells(k, r->to.snapshot, group, local, clock, is_load, &count, &steps)) return 1;
            if (r->kind == TO_LIST) later(k, &count, r->to.list);
            if (r->kind != TO_PUBLISHED) continue;
            Published *p = r->to.published;
            u32 from = p->visited == k->query ? p->visited_count : 0;
            for (u32 n = r->count; n > from; n--)
                if (tells(k, p->all[n - 1], group, local, clock, is_load, &count, &steps)) return 1;
            if (r->count > from) p->visited = k->query, p->visited_count = r->count;
        }
    }
    return 0;
}

// Whether an access of another wave, at a clock of its own, is known to have come before what this one does now.
int came_before(WaveWatch *me, u32 wave, u32 clock, int is_load) {
    GroupWatch *g = me->group;
    Watch *k = g->watch;
    if (wave == me->id || clock >= CLOCK_MAX) return 1;
    u32 group = (wave - 1) / k->waves_of_group, local = (wave - 1) % k->waves_of_group;
    if (group == g->number && clock < me->known[local]) return 1;
    if (wave == me->sure_wave && clock <= me->sure_clock) return 1;
    if (!me->references || !asked(me, group, local, clock, is_load)) return 0;
    if (!is_load) me->sure_wave = wave, me->sure_clock = clock;
    return 1;
}
