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

// Whether every lane that is on finds `size` bytes in the piece of memory that was touched last, or in that of the first of them.
ALWAYS int in_one_range(Wave *w, vu64 address, mask on, u64 size, int writing) {
    if (!on) return 0;
    for (int n = 0; n < 2; n++) {
        Range r = w->last[0];
        if (r.end - r.start >= size && (!writing || r.writable) && !(~BITS(address - r.start <= r.end - r.start - size) & on)) return 1;
        if (n || !allowed(w, address[first_lane(on)], size, writing)) return 0;
        if (w->last[0].start == r.start) w->last[0] = w->last[1], w->last[1] = r;  // it lies in the other of the two
    }
    return 0;
}
ALWAYS int in_lds(const Wave *w, vu32 at, mask on, u32 size) {
    return w->lds_size >= size && !(BITS(at > w->lds_size - size) & on);
}

#ifdef __AVX512F__
typedef int v16i __attribute__((vector_size(64)));
typedef int v8i __attribute__((vector_size(32)));
typedef long long v8l __attribute__((vector_size(64)));
#endif
ALWAYS vu32 gathered32(const u8 *base, vu32 at) {
    vu32 r;
#ifdef __AVX512F__
    for (int n = 0; n < LANES / 16; n++)
        ((v16i *)&r)[n] = __builtin_ia32_gathersiv16si((v16i){0}, base, ((v16i *)&at)[n], (unsigned short)-1, 1);
#else
    for (int l = 0; l < LANES; l++) r[l] = LOAD32(base + at[l]);
#endif
    return r;
}
ALWAYS vu32 gathered(vu64 address) {
    vu32 r;
#ifdef __AVX512F__
    for (int n = 0; n < LANES / 8; n++)
        ((v8i *)&r)[n] = __builtin_ia32_gatherdiv16si((v8i){0}, 0, ((v8l *)&address)[n], (unsigned char)-1, 1);
#else
    for (int l = 0; l < LANES; l++) r[l] = LOAD32(address[l]);
#endif
    return r;
}
ALWAYS vu64 gathered64(vu64 address) {
    vu64 r;
#ifdef __AVX512F__
    for (int n = 0; n < LANES / 8; n++)
        ((v8l *)&r)[n] = __builtin_ia32_gatherdiv8di((v8l){0}, 0, ((v8l *)&address)[n], (unsigned char)-1, 1);
#else
    for (int l = 0; l < LANES; l++) r[l] = LOAD(u64, address[l]);
#endif
    return r;
}
// `count` registers from one piece of memory. Lanes that are off look where the first that is on does, and keep what they have.
ALWAYS void load_together(Wave *w, u64 to, vu64 address, mask on, int count) {
    if (on != ALL) address = CONVERT(lanes_of(on), vi64) ? address : (vu64)address[first_lane(on)];
    for (int n = 0; n + 2 <= count; n += 2) put_pair(w, to + (u64)n, gathered64(address + (u64)(4 * n)));
    if (count & 1) put(w, to + (u64)count - 1, gathered(address + (u64)(4 * (count - 1))));
}
ALWAYS void load_lds_together(Wave *w, u64 to, vu32 at, mask on, int count) {
    if (on != ALL) at = lanes_of(on) ? at : (vu32)0;
    for (int n = 0; n < count; n++) put(w, to + (u64)n, gathered32(w->lds + 4 * n, at));
}
