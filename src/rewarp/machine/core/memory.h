// Memory: global addresses are the host's own, LDS begins at 0, scratch is linear for each lane.
#pragma once
#include "wave.h"

#define PACKED_AS(T) struct __attribute__((packed, may_alias)) { T x; }
#define LOAD(T, p) (((const PACKED_AS(T) *)(p))->x)
#define LOAD32(p) LOAD(u32, p)
#define STORE(T, p, v) (((PACKED_AS(T) *)(p))->x = (T)(v))

enum { SHARED_APERTURE = 0x10000, PRIVATE_APERTURE = 0x20000 };  // the high words of flat addresses
enum { SCRATCH_BUFFER = 0xfffe };  // the high word of the buffer through which scratch is reached before gfx942
#define CODE_BASE 0x700000000000ul

#define GO(address)                                                                        \
    do {                                                                                   \
        u64 at_ = ((address) - CODE_BASE) / 4;                                             \
        if ((address) < CODE_BASE || at_ >= w->code_size) return fault(w, op, FAULT_JUMP, 0, (address), 0); \
        JUMP(w->code + at_ - op);                                                          \
    } while (0)

// Whether all of [address, address + size) belongs to the program; the last places are asked first.
static __attribute__((noinline)) int found_range(Wave *w, u64 address, u64 size, int writing) {
    const Range *ranges = w->memory->ranges;
    u64 low = 0, high = w->memory->count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (ranges[middle].end <= address) low = middle + 1;
        else high = middle;
    }
    if (low == w->memory->count || address < ranges[low].start || size > ranges[low].end - address) return 0;
    if (writing && !ranges[low].writable) return 0;
    w->last[1] = w->last[0], w->last[0] = ranges[low];
    return 1;
}
ALWAYS int allowed(Wave *w, u64 address, u64 size, int writing) {
    for (int n = 0; n < 2; n++)
        if (address - w->last[n].start < w->last[n].end - w->last[n].start && size <= w->last[n].end - address &&
            (!writing || w->last[n].writable))
            return 1;
    return found_range(w, address, size, writing);
}

// A read that ends in a range's last block, and begins in no other range: what is there of its own, and then zeros.
static __attribute__((noinline)) u8 *found_beyond(Wave *w, const Op *op, u64 lane, u64 address, u64 size) {
    const Memory *m = w->memory;
    u64 low = 0, high = m->count;
    if (!m->beyond) return 0;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (m->ranges[middle].start <= address) low = middle + 1;
        else high = middle;
    }
    if (!low) return 0;
    const Range *r = &m->ranges[low - 1];
    if (address + size - r->start > ((r->end - r->start + BLOCK - 1) & ~(BLOCK - 1ul))) return 0;
    for (u64 n = 0; n < size; n++) w->found[n] = address + n < r->end ? ((const u8 *)address)[n] : 0;
    m->beyond(w, op, lane, address, size, r);
    return w->found;
}

// Where a lane's address is on the host; null where it may not look.
ALWAYS u8 *global_place(Wave *w, const Op *op, u64 lane, u64 address, u64 size, int writing) {
    return allowed(w, address, size, writing) ? (u8 *)address : writing ? 0 : found_beyond(w, op, lane, address, size);
}
ALWAYS u8 *lds_place(Wave *w, const Op *op, u64 lane, u64 address, u64 size, int writing) {
    u32 at = (u32)address;
    return at < w->lds_size && size <= w->lds_size - at ? w->lds + at : 0;
}
ALWAYS u8 *scratch_place(Wave *w, const Op *op, u64 lane, u64 address, u64 size, int writing) {
    u32 at = (u32)address;
    return at < w->scratch_size && size <= w->scratch_size - at ? w->scratch + lane * w->scratch_size + at : 0;
}
ALWAYS u8 *flat_place(Wave *w, const Op *op, u64 lane, u64 address, u64 size, int writing) {
    u64 high = address >> 32;
    if (high == SHARED_APERTURE) return lds_place(w, op, lane, address, size, writing);
    if (high == PRIVATE_APERTURE) return scratch_place(w, op, lane, address, size, writing);
    return global_place(w, op, lane, address, size, writing);
}

ALWAYS vu64 lane_steps(u64 step) {
    vu64 r;
    for (int l = 0; l < LANES; l++) r[l] = (u64)l * step;
    return r;
}
// Whether the lanes touch one piece of memory, one behind the other.
ALWAYS int in_a_row(vu64 address, mask on, u64 size) {
    return on == ALL && BITS(address == address[0] + lane_steps(size)) == ALL;
}

// --- many lanes at once: their addresses were looked at together ---

// So few that one by one is faster.
#define FEW(on) (__builtin_popcountl(on) < LANES / 4)

// Whether every lane that is on finds `size` bytes in the piece of memory that was touched last, or in that of the first of them.
ALWAYS int in_one_range(Wave *w, vu64 address, mask on, u64 size, int writing) {
    if (FEW(on)) return 0;
    for (int n = 0; n < 2; n++) {
        Range r = w->last[0];
        if (r.end - r.start >= size && (!writing || r.writable) && !(~BITS(address - r.start <= r.end - r.start - size) & on)) return 1;
        if (n || !allowed(w, address[first_lane(on)], size, writing)) return 0;
        if (w->last[0].start == r.start) w->last[0] = w->last[1], w->last[1] = r;  // it lies in the other of the two
    }
    return 0;
}
ALWAYS int in_lds(const Wave *w, vu32 at, mask on, u32 size) {
    return !FEW(on) && w->lds_size >= size && !(BITS(at > w->lds_size - size) & on);
}

// `count` registers, lane by lane: the processor's own gathers are slower where they are guarded against leaks.
#define LOAD_TOGETHER(to, on, count, place)                                                               \
    do {                                                                                                  \
        if ((on) == ALL) {                                                                                \
            for (u64 lane = 0; lane < LANES; lane++)                                                      \
                for (int n_ = 0; n_ < (count); n_++) (to)[n_ * LANES + lane] = LOAD32((place) + 4 * n_);  \
        } else {                                                                                          \
            EACH(lane, on) for (int n_ = 0; n_ < (count); n_++) (to)[n_ * LANES + lane] = LOAD32((place) + 4 * n_); \
        }                                                                                                 \
    } while (0)
