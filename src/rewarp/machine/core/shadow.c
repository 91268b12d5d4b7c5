// Memory beside memory: who touched each word last, and when; which bytes somebody wrote.
#include <stdlib.h>
#include <string.h>
#include "watch.h"

enum { SEEN_ROOM = 1024, ROW = 4 * LANES };
#define RARE(x) __builtin_expect(!!(x), 0)

// One access of one wave, as the cells see it.
typedef struct Access {
    Wave *w;
    WaveWatch *me;
    Watch *k;
    const Op *op;
    const Record *r;
    u32 op_number, part, writes, atomic, is_rmw;
} Access;

static u32 source_of(const Access *a) { return a->r->v_use[a->part ? 3 : 2]; }

// --- what is said -----------------------------------------------------------------------------

static void place_group(const Launch *l, u32 number, u32 *id) {
    id[0] = number % l->grid[0], id[1] = number / l->grid[0] % l->grid[1], id[2] = number / l->grid[0] / l->grid[1];
}

static Seen *seen_as(Watch *k, u32 kind, u32 op, u32 other_op) {
    for (u64 n = 0; n < k->seen_count; n++)
        if (k->seen[n].kind == kind && k->seen[n].op == op && k->seen[n].other_op == other_op) return &k->seen[n];
    if (k->seen_count == SEEN_ROOM) { k->forgotten++; return 0; }
    Seen *made = &k->seen[k->seen_count++];
    *made = (Seen){kind, 0, op, other_op, .range = ~0u};
    return made;
}

static Seen *noted(Wave *w, u32 op, u32 kind, u32 lane, u64 address, u64 size, u32 other_wave, u32 other_op) {
    WaveWatch *me = w->watch;
    Watch *k = me->group->watch;
    Seen *s = seen_as(k, kind, op, other_op);
    if (!s || s->count++) return 0;
    place_group(k->launch, me->group->number, s->group);
    s->wave = w->wave_number, s->lane = lane, s->address = address, s->size = size, s->offset = address;
    if (other_wave) {
        place_group(k->launch, (other_wave - 1) / k->waves_of_group, s->other_group);
        s->other_wave = (other_wave - 1) % k->waves_of_group;
    }
    const Memory *m = &k->launch->memory;
    for (u64 n = 0; n < m->count; n++)
        if (address - m->ranges[n].start < m->ranges[n].end - m->ranges[n].start)
            s->range = m->ranges[n].number, s->offset = address - m->ranges[n].start;
    return s;
}

void note(Wave *w, const Op *op, u32 kind, u32 lane, u64 address, u64 size, u32 other_wave, u32 other_op) {
    noted(w, (u32)(op - w->code), kind, lane, address, size, other_wave, other_op);
}

// --- data that nobody wrote -------------------------------------------------------------------

static u32 part_bits(const Record *r) { return r->size >= 4 ? ~0u : ((1u << 8 * r->size) - 1) << r->shift; }

// What a load brings: all known, but the words of a lane whose bytes are not.
static void loaded(Access *a, u64 on) {
    const Record *r = a->r;
    if (r->how & SCALAR) {
        for (u32 n = 0; n < r->words; n++) a->me->s[r->data + n] = 0;
        return;
    }
    for (u32 n = 0; n < (r->words ? r->words : 1u); n++) a->me->any[r->v_def[0] + a->part + n] &= ~on;
}

static u32 spread(u32 bytes) {  // a bit for each byte becomes eight
    return (bytes & 1 ? 255u : 0) | (bytes & 2 ? 255u << 8 : 0) | (bytes & 4 ? 255u << 16 : 0) | (bytes & 8 ? 255u << 24 : 0);
}

// `unknown`: bytes of a lane's data, from the first one.
static void loaded_unknown(Access *a, u32 lane, u32 unknown) {
    const Record *r = a->r;
    for (u32 n = 0; n < (r->words ? r->words : 1u); n++) {
        u32 bits = r->size >= 4 ? spread(unknown >> 4 * n & 15) : spread(unknown & 15) << r->shift & part_bits(r);
        if (bits) set_unknown(a->me, r->v_def[0] + a->part + n, lane, bits);
    }
}

static u64 stores_unknown(Access *a, u64 on) {
    u64 found = 0;
    u32 from = source_of(a);
    if (from == V_NONE) return 0;
    for (u32 n = 0; n < (a->r->words ? a->r->words : 1u); n++) found |= a->me->any[from + n];
    return found & on;
}

// Bytes of a lane's data of which no bit is known.
static u32 unknown_bytes(Access *a, u32 lane) {
    u32 found = 0, from = source_of(a);
    const Record *r = a->r;
    for (u32 n = 0; n < (r->words ? r->words : 1u); n++) {
        u32 bits = unknown_bits(a->me, from + n, lane) >> (r->size < 4 ? r->shift : 0);
        for (u32 byte = 0; byte < 4 && 4 * n + byte < r->size; byte++)
            if ((bits >> 8 * byte & 255) == 255) found |= 1u << (4 * n + byte);
    }
    return found;
}

// Whole bytes beside others that are known: what lies between the members of a structure.
static int is_padding(Access *a, u32 lane) {
    const Record *r = a->r;
    for (u32 n = 0; n < (r->words ? r->words : 1u); n++) {
        u32 bits = unknown_bits(a->me, source_of(a) + n, lane) & part_bits(r), whole = 0;
        for (u32 byte = 0; byte < 4; byte++)
            if ((bits >> 8 * byte & 255) == 255) whole |= 255u << 8 * byte;
        if (bits && (bits != whole || whole == part_bits(r))) return 0;
    }
    return 1;
}

// --- LDS --------------------------------------------------------------------------------------

static void lds_race(Access *a, u32 lane, u32 address, u32 other, u32 other_op, u32 how) {
    u32 wave = a->me->group->number * a->k->waves_of_group + other + 1;
    Seen *s = noted(a->w, a->op_number, SEEN_LDS_RACE, lane, address, a->r->size, wave, other_op);
    if (s) s->how = how | (a->writes ? SEEN_WRITES : 0) | (a->atomic ? SEEN_ATOMIC : 0), s->range = ~0u, s->offset = address;
}

// Several waves may write the same: the last one changes nothing.
static int same_value(const Access *a, u32 lane, const u8 *memory) {
    if (a->is_rmw || source_of(a) == V_NONE) return 0;
    const u32 *from = (const u32 *)reg(a->w, source_of(a));
    if (a->r->size < 4) {
        u32 value = from[lane] >> a->r->shift;
        return !memcmp(memory, &value, a->r->size);
    }
    for (u32 n = 0; n < a->r->words; n++)
        if (memcmp(memory + 4 * n, &from[n * LANES + lane], 4)) return 0;
    return 1;
}

// Stores of less than a word have a writer for each byte.
static void narrow_race(Access *a, u32 bytes, u32 lane, u32 address, u32 word) {
    GroupWatch *g = a->me->group;
    for (u32 n = 0; n < 4; n++) {
        LdsByte b = g->bytes[word + n];
        if (!(bytes >> n & 1) || b.clock < g->base - g->origin || b.writer == a->w->wave_number) continue;
        if (b.clock + g->origin < a->me->known[b.writer] || (a->writes && same_value(a, lane, a->w->lds + address))) continue;
        lds_race(a, lane, address, b.writer, b.op, SEEN_OTHER_WROTE);
    }
}

static void touch_lds(Access *a, u32 word, u32 bytes, u32 lane, u32 address) {
    GroupWatch *g = a->me->group;
    LdsCell *c = g->lds + word / 4;
    u32 *read_op = g->lds_read_op + word / 4;
    u32 number = a->w->wave_number, base = g->base - g->origin, bit = 1u << number;
    int both_atomic = a->atomic && c->flags & BY_ATOMIC;
    if (c->flags & NARROW) narrow_race(a, bytes, lane, address, word);
    if (c->write_clock >= base && c->writer != number && c->written & bytes && !both_atomic &&
        c->write_clock + g->origin >= a->me->known[c->writer] &&
        !(a->writes && !(c->flags & BY_ATOMIC) && same_value(a, lane, a->w->lds + address)))
        lds_race(a, lane, address, c->writer, c->write_op, SEEN_OTHER_WROTE | (c->flags & BY_ATOMIC ? SEEN_OTHER_ATOMIC : 0));
    if (c->flags & BY_ATOMIC && !a->atomic && c->write_clock >= base && !g->has_locks) {
        u32 others = g->lds_changers[word / 4] & ~bit & ~(1u << c->writer);
        if (others) lds_race(a, lane, address, (u32)__builtin_ctz(others), c->write_op, SEEN_OTHER_WROTE | SEEN_OTHER_ATOMIC);
    }
    if (c->read_base != base) c->read_base = (u16)base, c->readers = 0;
    if (a->writes) {
        u32 others = c->readers & ~bit;
        if (others && !g->has_locks && (*read_op >> OP_BITS & bytes) && !same_value(a, lane, a->w->lds + address))
            lds_race(a, lane, address, (u32)__builtin_ctz(others), *read_op & OP_MASK, 0);
        if (a->r->how & COMPARES && c->readers & bit) a->k->guesses[*read_op & OP_MASK] = 1;
        if (a->atomic) g->lds_changers[word / 4] = (c->write_clock >= base && c->flags & BY_ATOMIC ? g->lds_changers[word / 4] : 0) | bit;
        if (c->write_clock >= base && c->writer == number) c->written |= bytes;
        else c->written = (u8)bytes;
        c->write_clock = (u16)(a->me->clock - g->origin), c->writer = (u8)number, c->write_op = a->op_number;
        c->flags = (a->atomic ? BY_ATOMIC : 0) | (bytes == 15 ? 0 : NARROW), c->known |= bytes;
        for (u32 n = 0; bytes != 15 && n < 4; n++)
            if (bytes >> n & 1) g->bytes[word + n] = (LdsByte){c->write_clock, c->writer, a->op_number};
        if (!a->is_rmw) c->readers = 0;
    } else {
        u32 before = c->readers ? *read_op & CELL_BYTES : 0;
        c->readers |= bit, *read_op = a->op_number | bytes << OP_BITS | before;
    }
}

static void reach_lds(Access *a, const u64 *address, u64 on) {
    GroupWatch *g = a->me->group;
    u32 size = a->r->size, limit = a->w->lds_size, number = a->w->wave_number, base = g->base - g->origin;
    u64 unknown = a->writes ? stores_unknown(a, on) : 0;
    u32 clock = a->me->clock - g->origin, words = size / 4, bit = 1u << number, before = ~0u, absent = 0;
    a->atomic = a->is_rmw;  // volatile is not enough here
    if (a->r->how & LOCKS) lock(a->me);
    a->k->changes += a->writes && !a->is_rmw;
    for (u64 left = on; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzl(left), at = (u32)address[lane];
        if (RARE(at >= limit || size > limit - at)) continue;
        u32 n = 0;
        if (at == before) {  // as its neighbour
            if (RARE(absent)) loaded_unknown(a, lane, absent);
            continue;
        }
        absent = 0;
        if (!a->writes) before = at;
        if (!(at & 3) && words && !a->atomic) {
            // The usual case: nobody else since the barrier, or only readers.
            LdsCell *c = g->lds + (at >> 2);
            u32 *read_op = g->lds_read_op + (at >> 2);
            if (!a->writes) {
                for (; n < words; n++) {
                    if (RARE((c[n].write_clock >= base && c[n].writer != number) || c[n].flags || c[n].known != 15)) break;
                    if (c[n].read_base != base) c[n].read_base = (u16)base, c[n].readers = 0;
                    if (!(c[n].readers & bit)) c[n].readers |= bit, read_op[n] = a->op_number | CELL_BYTES;
                }
            } else if (!(unknown >> lane & 1)) {
                for (; n < words; n++) {
                    if (RARE((c[n].write_clock >= base && c[n].writer != number) || c[n].flags || (c[n].read_base == base && c[n].readers & ~bit))) break;
                    c[n] = (LdsCell){0, (u16)base, (u16)clock, (u8)number, 15, 15, 0, a->op_number};
                }
            }
            if (n == words) continue;
        }
        u32 missing = unknown >> lane & 1 ? unknown_bytes(a, lane) : 0;
        for (u32 byte = 4 * n; byte < size;) {
            u32 place = at + byte, in = place & 3, count = 4 - in < size - byte ? 4 - in : size - byte;
            u32 bytes = ((1u << count) - 1) << in;
            LdsCell *c = g->lds + (place >> 2);
            if (!a->writes || a->is_rmw) absent |= (~c->known & bytes) >> in << byte;
            touch_lds(a, place & ~3u, bytes, lane, at);
            if (a->writes && missing) c->known &= (u8)~((missing >> byte & ((1u << count) - 1)) << in);
            byte += count;
        }
        if (absent && (!a->writes || a->r->how & RETURNS)) loaded_unknown(a, lane, absent);
    }
}

// --- scratch: each lane has its own -------------------------------------------------------------

static void reach_scratch(Access *a, const u64 *address, u64 on) {
    GroupWatch *g = a->me->group;
    u32 room = a->w->scratch_size / 4, size = a->r->size;
    u16 *stamps = g->scratch + (u64)a->w->wave_number * room * LANES;
    u64 unknown = a->writes ? stores_unknown(a, on) : 0;
    for (u64 left = on; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzl(left), at = (u32)address[lane], absent = 0;
        if (at >= a->w->scratch_size || size > a->w->scratch_size - at) continue;
        u32 missing = unknown >> lane & 1 ? unknown_bytes(a, lane) : 0;
        for (u32 word = at / 4; word <= (at + size - 1) / 4; word++) {
            u16 *stamp = &stamps[lane * room + word];
            u32 first = word * 4 > at ? word * 4 - at : 0;
            if (a->writes) *stamp = (missing >> first & 15) == 15 ? 0 : g->turn;
            else if (*stamp != g->turn) absent |= (word * 4 >= at ? 15u : 15u >> (at & 3)) << first;
        }
        if (absent) loaded_unknown(a, lane, absent);
    }
}

// --- global memory ------------------------------------------------------------------------------

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
    u32 other = c->wave[which], clock = c->clock[which], how = which == LAST_WRITE ? SEEN_OTHER_WROTE : 0;
    if (came_before(a->me, other, clock)) return;
    if (a->writes && same_value(a, lane, (u8 *)address)) return;
    int same_group = (other - 1) / a->k->waves_of_group == a->me->group->number;
    Seen *s = noted(a->w, a->op_number, same_group ? SEEN_GROUP_RACE : SEEN_GRID_RACE, lane, address, a->r->size, other, c->op[which] & OP_MASK);
    if (!s) return;
    s->how = how | (a->writes ? SEEN_WRITES : 0) | (a->atomic ? SEEN_ATOMIC : 0) | (c->op[which] & CELL_ATOMIC ? SEEN_OTHER_ATOMIC : 0);
}

// Two accesses that no order is asked of: both atomic. Some cards have no other stores for atomics than the plain ones.
static int in_step(const Access *a, u32 op, int other_writes) {
    int mine = a->atomic, theirs = (op & CELL_ATOMIC) != 0;
    if (a->k->weak_stores && a->writes && !a->is_rmw) mine = 1;
    if (a->k->weak_stores && other_writes) theirs = 1;
    return mine && theirs && (a->atomic || op & CELL_ATOMIC);
}

static void touch(Access *a, Cell *c, u32 bytes, u32 lane, u64 address) {
    WaveWatch *me = a->me;
    u32 mine = a->op_number | bytes << OP_BITS | (a->atomic ? CELL_ATOMIC : 0);
    u16 clock = (u16)(me->clock < CLOCK_MAX ? me->clock : CLOCK_MAX);
    u32 writer = c->wave[LAST_WRITE];
    if (writer && writer != me->id && c->op[LAST_WRITE] & bytes << OP_BITS && !in_step(a, c->op[LAST_WRITE], 1))
        race(a, c, LAST_WRITE, lane, address);
    if (a->atomic && a->r->how & LOADS && (c->has_published || (writer && writer != me->id && (a->k->weak_stores || c->op[LAST_WRITE] & CELL_ATOMIC))))
        acquire(me, address & ~3ul, c);
    if (!a->writes) {
        u32 which = !c->wave[FIRST_READ] || c->wave[FIRST_READ] == me->id ? FIRST_READ : LAST_READ;
        c->wave[which] = me->id, c->op[which] = mine, c->clock[which] = clock;
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

static void reach_one(Access *a, u32 lane, u64 address) {
    Shadow *s = shadow_of(a->k, address);
    u32 size = a->r->size;
    if (!s || size > s->end - address) return;
    if (s->known && a->r->how & SCALAR) load_fresh_scalars(a, s, address);
    else if (s->known) {
        u32 absent = fresh_bytes(a, s, address);
        if (absent && a->r->how & LOADS && (!a->writes || a->r->how & RETURNS)) loaded_unknown(a, lane, absent);
    }
    if (!s->rows) return;
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
        if (c->wave[which] && c->wave[which] != a->me->id && !came_before(a->me, c->wave[which], c->clock[which])) return 1;
    return 0;
}

// All lanes, one behind the other, on whole rows: one cell for each row.
static int reach_rows(Access *a, u64 address) {
    Shadow *s = shadow_of(a->k, address);
    u64 size = a->r->size;
    if (!s || (address - s->start) % ROW || size * LANES > s->end - address) return 0;
    if (!rows_are_known(a, s, address, size * LANES)) return 0;
    if (!s->rows) return 1;
    Row *first = &s->rows[(address - s->start) / ROW];
    for (Row *row = first; row < first + size / 4; row++)
        if (row->cells || is_contested(a, &row->all)) return 0;
    for (Row *row = first; row < first + size / 4; row++) touch(a, &row->all, 15, 0, address);
    return 1;
}

static void reach_global(Access *a, const u64 *address, u64 on) {
    u32 size = a->r->size;
    a->me->is_dirty |= a->writes ? DID_WRITE : DID_READ;
    a->k->changes += a->writes && !a->is_rmw;
    u64 unknown = a->writes ? stores_unknown(a, on) : 0;
    for (u64 left = unknown; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctzl(left);
        if (!is_padding(a, lane)) note(a->w, a->op, SEEN_UNKNOWN_STORE, lane, address[lane], size, 0, ~0u);
    }
    if (a->r->how & SCALAR) { reach_one(a, 0, address[0]); return; }
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
