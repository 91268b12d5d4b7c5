// What is said of an access, and what is known of its data.
#include <string.h>
#include "access.h"

// --- what is said -----------------------------------------------------------------------------

static void place_group(const Launch *l, u32 number, u32 *id) {
    id[0] = number % l->grid[0], id[1] = number / l->grid[0] % l->grid[1], id[2] = number / l->grid[0] / l->grid[1];
}

static Seen *seen_as(Watch *k, u32 kind, u32 op, u32 other_op) {
    for (u64 n = 0; n < k->seen_count; n++)
        if (k->seen[n].kind == kind && k->seen[n].op == op && k->seen[n].other_op == other_op) return &k->seen[n];
    if (k->seen_count == SEEN_MOST) { k->forgotten++; return 0; }
    Seen *made = &k->seen[k->seen_count++];
    *made = (Seen){kind, 0, op, other_op, .range = ~0u};
    return made;
}

Seen *noted(Wave *w, u32 op, u32 kind, u32 lane, u64 address, u64 size, u32 other_wave, u32 other_op) {
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

void loaded(Access *a, u64 on) {
    const Record *r = a->r;
    if (r->how & SCALAR) {
        for (u32 n = 0; n < r->words; n++) a->me->s[r->data + n] = 0;
        return;
    }
    for (u32 n = 0; n < (r->words ? r->words : 1u); n++) a->me->any[r->v_def[0] + a->part + n] &= ~on;
}

void loaded_unknown(Access *a, u32 lane, u32 unknown) {
    const Record *r = a->r;
    for (u32 n = 0; n < (r->words ? r->words : 1u); n++) {
        u32 bits = r->size >= 4 ? spread(unknown >> 4 * n & 15) : spread(unknown & 15) << r->shift & part_bits(r);
        if (bits) set_unknown(a->me, r->v_def[0] + a->part + n, lane, bits);
    }
}

u64 stores_unknown(Access *a, u64 on) {
    u64 found = 0;
    u32 from = source_of(a);
    if (from == V_NONE) return 0;
    for (u32 n = 0; n < (a->r->words ? a->r->words : 1u); n++) found |= a->me->any[from + n];
    return found & on;
}

u32 unknown_bytes(Access *a, u32 lane) {
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
int is_padding(Access *a, u32 lane) {
    const Record *r = a->r;
    for (u32 n = 0; n < (r->words ? r->words : 1u); n++) {
        u32 bits = unknown_bits(a->me, source_of(a) + n, lane) & part_bits(r), whole = 0;
        for (u32 byte = 0; byte < 4; byte++)
            if ((bits >> 8 * byte & 255) == 255) whole |= 255u << 8 * byte;
        if (bits && (bits != whole || whole == part_bits(r))) return 0;
    }
    return 1;
}

// Several waves may write the same: the last one changes nothing.
int same_value(const Access *a, u32 lane, const u8 *memory) {
    if (a->is_rmw || a->is_fresh || source_of(a) == V_NONE) return 0;
    const u32 *from = (const u32 *)reg(a->w, source_of(a));
    if (a->r->size < 4) {
        u32 value = from[lane] >> a->r->shift;
        return !memcmp(memory, &value, a->r->size);
    }
    for (u32 n = 0; n < a->r->words; n++)
        if (memcmp(memory + 4 * n, &from[n * LANES + lane], 4)) return 0;
    return 1;
}
