// Memory of a workgroup and of a lane: who touched each word of LDS since the last barrier, which bytes somebody wrote.
#include "access.h"

// --- LDS --------------------------------------------------------------------------------------

static void lds_race(Access *a, u32 lane, u32 address, u32 other, u32 other_op, u32 how) {
    u32 wave = a->me->group->number * a->k->waves_of_group + other + 1;
    Seen *s = noted(a->w, a->op_number, SEEN_LDS_RACE, lane, address, a->r->size, wave, other_op);
    if (s) s->how = how | (a->writes ? SEEN_WRITES : 0) | (a->atomic ? SEEN_ATOMIC : 0), s->range = ~0u, s->offset = address;
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

// Who else read one of these bytes, of a word that was read in part.
static u32 narrow_readers(const GroupWatch *g, u32 bytes, u32 word) {
    u32 found = 0;
    for (u32 n = 0; n < 4; n++)
        if (bytes >> n & 1 && g->bytes[word + n].read_base == (u16)(g->base - g->origin)) found |= g->bytes[word + n].readers;
    return found;
}

static void read_narrow(GroupWatch *g, u32 bytes, u32 word, u32 bit) {
    u16 base = (u16)(g->base - g->origin);
    for (u32 n = 0; n < 4; n++) {
        LdsByte *b = &g->bytes[word + n];
        if (bytes >> n & 1) b->readers = (b->read_base == base ? b->readers : 0) | bit, b->read_base = base;
    }
}

// What bytes of a word tell is old where the word was not touched in part since: by another group, or before it was
// written whole.
static void begin_narrow(GroupWatch *g, u32 word, int writes) {
    for (u32 n = 0; n < 4; n++) {
        if (writes) g->bytes[word + n].clock = 0;
        else g->bytes[word + n].readers = 0;
    }
}

static void touch_lds(Access *a, u32 word, u32 bytes, u32 lane, u32 address) {
    GroupWatch *g = a->me->group;
    LdsCell *c = g->lds + word / 4;
    u32 *read_op = g->lds_read_op + word / 4;
    u32 number = a->w->wave_number, base = g->base - g->origin, bit = 1u << number;
    int both_atomic = a->atomic && c->flags & BY_ATOMIC;
    a->is_fresh = (c->known & bytes) != bytes;
    if (c->flags & NARROW) narrow_race(a, bytes, lane, address, word);
    if (c->write_clock >= base && c->writer != number && c->written & bytes && !both_atomic &&
        c->write_clock + g->origin >= a->me->known[c->writer] &&
        !(a->writes && !(c->flags & BY_ATOMIC) && same_value(a, lane, a->w->lds + address)))
        lds_race(a, lane, address, c->writer, c->write_op, SEEN_OTHER_WROTE | (c->flags & BY_ATOMIC ? SEEN_OTHER_ATOMIC : 0));
    if (c->flags & BY_ATOMIC && !a->atomic && c->write_clock >= base && !g->has_locks) {
        u32 others = g->lds_changers[word / 4] & ~bit & ~(1u << c->writer);
        if (others) lds_race(a, lane, address, (u32)__builtin_ctz(others), c->write_op, SEEN_OTHER_WROTE | SEEN_OTHER_ATOMIC);
    }
    if (c->read_base != base) c->read_base = (u16)base, c->readers = 0, c->flags &= ~READ_NARROW;
    if (a->writes) {
        u32 others = (c->readers | (c->flags & READ_NARROW ? narrow_readers(g, bytes, word) : 0)) & ~bit;
        if (others && !g->has_locks && !same_value(a, lane, a->w->lds + address))
            lds_race(a, lane, address, (u32)__builtin_ctz(others), *read_op & OP_MASK, 0);
        if (a->r->how & COMPARES && c->readers & bit) a->k->guesses[*read_op & OP_MASK] = 1;
        if (a->atomic) g->lds_changers[word / 4] = (c->write_clock >= base && c->flags & BY_ATOMIC ? g->lds_changers[word / 4] : 0) | bit;
        if (bytes != 15 && !(c->flags & NARROW)) begin_narrow(g, word, 1);
        if (c->write_clock >= base && c->writer == number) c->written |= bytes;
        else c->written = (u8)bytes;
        c->write_clock = (u16)(a->me->clock - g->origin), c->writer = (u8)number, c->write_op = a->op_number;
        c->flags = (a->atomic ? BY_ATOMIC : 0) | (bytes == 15 ? 0 : NARROW) | (c->flags & READ_NARROW), c->known |= bytes;
        for (u32 n = 0; bytes != 15 && n < 4; n++)
            if (bytes >> n & 1) {
                LdsByte *b = &g->bytes[word + n];
                b->clock = c->write_clock, b->writer = c->writer, b->op = a->op_number;
                if (!a->is_rmw) b->readers = 0;
            }
        if (!a->is_rmw) c->readers = 0;
        if (!a->is_rmw && bytes == 15) c->flags &= ~READ_NARROW;
    } else {
        if (bytes == 15) c->readers |= bit;
        else {
            if (!(c->flags & READ_NARROW)) begin_narrow(g, word, 0);
            c->flags |= READ_NARROW, read_narrow(g, bytes, word, bit);
        }
        *read_op = a->op_number | bytes << OP_BITS;
    }
}

void reach_lds(Access *a, const u64 *address, u64 on) {
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

void reach_scratch(Access *a, const u64 *address, u64 on) {
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
