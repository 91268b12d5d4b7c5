// Global memory beside global memory: who touched each word last, and when; which bytes somebody wrote.
#include <stdlib.h>
#include <string.h>
#include "access.h"

enum { ROW = 4 * LANES };

static Shadow *shadow_of(Watch *k, u64 address) {
    Shadow *s = k->last;
    if (address - s->start < s->end - s->start) return s;
    u64 low = 0, high = k->shadow_count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (k->shadows[middle].end <= address) low = middle + 1;
        else high = middle;
    }
    if (low == k->shadow_count || address < k->shadows[low].start) return 0;
    s = k->last = &k->shadows[low];
    if (s->writable && !s->rows) s->rows = calloc((s->end - s->start + ROW - 1) / ROW, sizeof(Row));
    return s;
}

static void race(Access *a, const Cell *c, u32 which, u32 lane, u64 address) {
    u32 other = c->wave[which], clock = c->clock[which], wrote = which == LAST_WRITE || c->op[which] & CELL_SAME;
    if (came_before(a->me, other, clock, !wrote)) return;
    int same_group = (other - 1) / a->k->waves_of_group == a->me->group->number;
    Seen *s = noted(a->w, a->op_number, same_group ? SEEN_GROUP_RACE : SEEN_GRID_RACE, lane, address, a->r->size, other, c->op[which] & OP_MASK);
    if (!s) return;
    s->how = (wrote ? SEEN_OTHER_WROTE : 0) | (a->writes ? SEEN_WRITES : 0) | (a->atomic ? SEEN_ATOMIC : 0) | (c->op[which] & CELL_ATOMIC ? SEEN_OTHER_ATOMIC : 0);
}

// Two accesses that no order is asked of: both atomic. Some cards have no other stores for atomics than the plain ones.
static int in_step(const Access *a, u32 op, int other_writes) {
    int mine = a->atomic, theirs = (op & CELL_ATOMIC) != 0;
    if (a->k->weak_stores && a->writes && !a->is_rmw) mine = 1;
    if (a->k->weak_stores && other_writes) theirs = 1;
    return mine && theirs && (a->atomic || op & CELL_ATOMIC);
}

// A store of what is there already changes nothing, whoever comes first: it counts as a read that nobody has to know of.
static void touch(Access *a, Cell *c, u32 bytes, u32 lane, u64 address) {
    WaveWatch *me = a->me;
    u32 mine = a->op_number | bytes << OP_BITS | (a->atomic ? CELL_ATOMIC : 0);
    u16 clock = (u16)(me->clock < CLOCK_MAX ? me->clock : CLOCK_MAX);
    u32 writer = c->wave[LAST_WRITE];
    if (!a->is_same && writer && writer != me->id && c->op[LAST_WRITE] & bytes << OP_BITS && !in_step(a, c->op[LAST_WRITE], 1))
        race(a, c, LAST_WRITE, lane, address);
    if (a->atomic && a->r->how & LOADS && (c->has_published || (writer && writer != me->id && (a->k->weak_stores || c->op[LAST_WRITE] & CELL_ATOMIC))))
        acquire(me, address & ~3ul, c);
    if (!a->writes || a->is_same) {
        u32 which = !c->wave[FIRST_READ] || c->wave[FIRST_READ] == me->id ? FIRST_READ : LAST_READ;
        c->wave[which] = me->id, c->op[which] = mine | (a->is_same ? CELL_SAME : 0), c->clock[which] = clock;
        return;
    }
    for (u32 which = FIRST_READ; which <= LAST_READ; which++) {
        u32 reader = c->wave[which];
        if (!reader || !(c->op[which] & bytes << OP_BITS)) continue;
        if (reader != me->id && !in_step(a, c->op[which], 0)) race(a, c, which, lane, address);
        if (reader == me->id && a->r->how & COMPARES && !(c->op[which] & CELL_ATOMIC)) a->k->guesses[c->op[which] & OP_MASK] = 1;
        if (!a->is_rmw) c->wave[which] = 0;
    }
    if (writer == me->id && c->clock[LAST_WRITE] == clock) mine |= c->op[LAST_WRITE] & CELL_BYTES;
    c->wave[LAST_WRITE] = me->id, c->op[LAST_WRITE] = mine, c->clock[LAST_WRITE] = clock;
    if (a->is_rmw && (me->has_released || me->references)) publish(me, address & ~3ul), c->has_published = 1;
}

static int split(Watch *k, Row *row) {
    row->cells = lasting(k, LANES * sizeof(Cell));
    for (u32 n = 0; row->cells && n < LANES; n++) row->cells[n] = row->all;
    return row->cells != 0;
}

// Bytes that were fresh when they came: what is read of them is unknown, what is written is not any more.
static u32 fresh_bytes(Access *a, Shadow *s, u64 address) {
    u64 at = address - s->start;
    u32 bits, wanted = (1u << a->r->size) - 1;
    memcpy(&bits, s->known + at / 8, 4);  // there is room behind the last one
    u32 found = ~(bits >> at % 8) & wanted;
    if (found && a->writes) bits |= wanted << at % 8, memcpy(s->known + at / 8, &bits, 4);
    return found;
}

static void load_fresh_scalars(Access *a, Shadow *s, u64 address) {
    for (u32 n = 0; n < a->r->words; n++) {
        u64 at = address + 4 * n - s->start;
        a->me->s[a->r->data + n] = spread(~(s->known[at / 8] >> at % 8) & 15);
    }
}

// The same for whole rows; whether all of it was known.
static int rows_are_known(Access *a, Shadow *s, u64 address, u64 size) {
    u64 at = address - s->start, absent = 0;
    if (!s->known) return 1;
    for (u64 n = at / 64; n < (at + size) / 64; n++) {
        u64 *bits = (u64 *)s->known + n;
        absent |= ~*bits;
        if (a->writes) *bits = ~0ul;
    }
    return a->writes || !absent;
}

// What is not there is not known, if the wave goes on at all.
static void reach_beyond(Access *a, u32 lane, u64 bytes) {
    if (a->writes) return;
    if (a->r->how & SCALAR)
        for (u32 n = (u32)(bytes / 4); n < a->r->words; n++) a->me->s[a->r->data + n] = ~0u;
    else loaded_unknown(a, lane, ((1u << a->r->size) - 1) & ~((1u << bytes) - 1));
}

static void reach_one(Access *a, u32 lane, u64 address) {
    Shadow *s = shadow_of(a->k, address);
    u32 size = a->r->size;
    if (!s || size > s->end - address) {
        reach_beyond(a, lane, s ? s->end - address : 0);
        return;
    }
    if (s->known && a->r->how & SCALAR) load_fresh_scalars(a, s, address);
    else if (s->known) {
        u32 absent = fresh_bytes(a, s, address);
        a->is_fresh = absent != 0;
        if (absent && a->r->how & LOADS && (!a->writes || a->r->how & RETURNS)) loaded_unknown(a, lane, absent);
    }
    if (!s->rows) return;
    a->is_same = a->writes && !a->atomic && same_value(a, lane, (u8 *)address);
    for (u32 byte = 0; byte < size;) {
        u64 at = address + byte - s->start;
        u32 in = (address + byte) & 3, count = 4 - in < size - byte ? 4 - in : size - byte;
        Row *row = &s->rows[at / ROW];
        if (!row->cells && !split(a->k, row)) return;
        touch(a, &row->cells[at % ROW / 4], ((1u << count) - 1) << in, lane, address);
        byte += count;
    }
}

// Whether somebody else was there of whom this wave does not know: then each lane is looked at.
static int is_contested(const Access *a, const Cell *c) {
    for (u32 which = 0; which < (a->writes ? 3u : 1u); which++)
        if (c->wave[which] && c->wave[which] != a->me->id && !came_before(a->me, c->wave[which], c->clock[which], 0)) return 1;
    return 0;
}

// All lanes, one behind the other, on whole rows: one cell for each row.
static int reach_rows(Access *a, u64 address) {
    Shadow *s = shadow_of(a->k, address);
    u64 size = a->r->size;
    if (!s || (address - s->start) % ROW || size * LANES > s->end - address) return 0;
    Row *first = s->rows ? &s->rows[(address - s->start) / ROW] : 0;
    for (Row *row = first; s->rows && row < first + size / 4; row++)
        if (row->cells || is_contested(a, &row->all)) return 0;
    if (!rows_are_known(a, s, address, size * LANES)) return 0;
    if (!s->rows) return 1;
    a->is_same = a->writes && size == 4 && !memcmp((void *)address, reg(a->w, source_of(a)), ROW);
    for (Row *row = first; row < first + size / 4; row++) touch(a, &row->all, 15, 0, address);
    return 1;
}

static void reach_global(Access *a, const u64 *address, u64 on) {
    u32 size = a->r->size;
    a->me->is_dirty |= a->writes ? DID_WRITE : DID_READ;
    a->k->changes += a->writes && !a->is_rmw;
    if (a->writes && !a->is_rmw && (a->atomic || a->k->weak_stores)) release_loads(a->me);
    u64 unknown = a->writes ? stores_unknown(a, on) : 0;
    for (u64 left = unknown; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzl(left);
        if (!is_padding(a, lane)) note(a->w, a->op, SEEN_UNKNOWN_STORE, lane, address[lane], size, 0, ~0u);
    }
    if (a->r->how & SCALAR) {
        // A card drops the last bits of the address: what comes is not what was asked for.
        if (RARE(address[0] & 3)) note(a->w, a->op, SEEN_MISALIGNED, 0, address[0], size, 0, ~0u);
        reach_one(a, 0, address[0] & ~3ul);
        return;
    }
    if (!(size & 3) && !a->atomic && on == (u64)ALL && in_a_row(*(const vu64 *)address, (mask)on, size) && reach_rows(a, address[0])) return;
    u64 before = ~0ul;
    for (u64 left = on; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzl(left);
        if (address[lane] == before && !a->writes && !a->k->last->known) continue;  // as its neighbour
        reach_one(a, lane, before = address[lane]);
    }
}

// --- what instructions call -----------------------------------------------------------------------

static void check_address(Access *a, u64 on, const u64 *address) {
    WaveWatch *me = a->me;
    const Record *r = a->r;
    u64 unknown = (me->any[r->v_use[0]] | me->any[r->v_use[1]]) & on;
    u32 s = 0;
    for (u32 n = 0; n < 5; n++) s |= me->s[r->s_use[n]];
    if (RARE(unknown | s)) {
        u32 lane = (u32)__builtin_ctzl(unknown ? unknown : on);
        note(a->w, a->op, SEEN_UNKNOWN_ADDRESS, lane, address[lane], r->size, 0, ~0u);
        me->any[r->v_use[0]] &= ~on, me->any[r->v_use[1]] &= ~on;
        for (u32 n = 0; n < 5; n++) me->s[r->s_use[n]] = 0;
    }
    if (RARE(me->missed & on)) {
        u64 lanes = me->missed & on;
        me->missed = 0;
        noted(a->w, me->missed_op, SEEN_DIVERGED_BARRIER, (u32)__builtin_ctzl(lanes), 0, 0, 0, a->op_number);
    }
}

void seen_access(Wave *w, const Op *op, const u64 *address, u64 on, u32 part) {
    const Record *r = record_of(w, op);
    WaveWatch *me = w->watch;
    int is_rmw = (r->how & (LOADS | STORES)) == (LOADS | STORES);
    Access a = {w, me, me->group->watch, op, r, (u32)(op - w->code), part, r->how & STORES, is_rmw || r->how & MARKED, is_rmw};
    if (on && !part) check_address(&a, on, address);
    if (!a.writes || r->how & RETURNS) loaded(&a, exec(w));  // lanes out of a buffer's range read zero
    if (!on) return;
    if (r->space == SPACE_LDS) reach_lds(&a, address, on);
    else if (r->space == SPACE_SCRATCH) reach_scratch(&a, address, on);
    else if (r->space == SPACE_GLOBAL) reach_global(&a, address, on);
    else {
        u64 lds = 0, scratch = 0;
        for (u64 left = on; left; left &= left - 1) {
            u32 lane = (u32)__builtin_ctzl(left);
            lds |= (u64)(address[lane] >> 32 == SHARED_APERTURE) << lane;
            scratch |= (u64)(address[lane] >> 32 == PRIVATE_APERTURE) << lane;
        }
        if (lds) reach_lds(&a, address, lds);
        if (scratch) reach_scratch(&a, address, scratch);
        if (on & ~(lds | scratch)) reach_global(&a, address, on & ~(lds | scratch));
    }
}
