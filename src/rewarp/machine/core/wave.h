// The state of a wave and what every instruction is made of. Instructions are small functions over 64 lanes that end by
// calling the next one; register numbers and constants come with the instruction, so that one function serves all
// instructions of a shape.
#pragma once
#include "machine.h"
typedef signed char i8;
typedef short i16;
typedef _Float16 f16;
typedef float f32;
typedef double f64;
typedef __int128 i128;
typedef unsigned __int128 u128;

#ifndef LANES
#define LANES 64
#endif
#define VECTOR(T, N) typedef T N __attribute__((ext_vector_type(LANES)))
VECTOR(u8, vu8);
VECTOR(i8, vi8);
VECTOR(u16, vu16);
VECTOR(i16, vi16);
VECTOR(u32, vu32);
VECTOR(i32, vi32);
VECTOR(u64, vu64);
VECTOR(i64, vi64);
VECTOR(f16, vf16);
VECTOR(f32, vf32);
VECTOR(f64, vf64);
VECTOR(_Bool, vbool);

#define CONVERT(x, T) __builtin_convertvector(x, T)
#define AS(x, T) __builtin_bit_cast(T, x)
#define ALWAYS static inline __attribute__((always_inline))

// Why a wave stopped.
enum { STOP_END = 0, STOP_BARRIER = 1, STOP_YIELD = 2, STOP_FAULT = 3, STOP_TRAP = 4, STOP_TURN = 5 };
enum { FAULT_NONE, FAULT_READ, FAULT_WRITE, FAULT_ATOMIC, FAULT_LDS, FAULT_SCRATCH, FAULT_JUMP, FAULT_MISALIGNED, FAULT_ASSERTION };

enum { VCC = 106, TTMP = 108, M0 = 124, EXEC = 126, SGPRS = 128 };

struct Wave;
struct Op;
typedef int (*Run)(struct Wave *, const struct Op *);

typedef struct Op {
    Run run;
    u32 d, e;    // registers that are written
    u64 a, b, c; // registers that are read, or constants where the shape says so
    i64 k;       // an offset, the distance of a branch
} Op;

typedef struct Memory {
    const Range *ranges;  // sorted by address
    u64 count;
    // Tells a read beyond the end of a range that goes on, as on a card to the end of the block. Null: it faults.
    void (*beyond)(struct Wave *, const struct Op *, u64 lane, u64 address, u64 size, const Range *);
    void (*answer)(void);  // a wave has asked the host for something; may be null
} Memory;
// Bytes. ROCm's runtime takes memory of the card in such blocks, and pads what is larger. Widest: of what one lane's load brings.
enum { BLOCK = 2 << 20, WIDEST = 64 };

typedef struct Wave {
    u32 *v;  // 64 lanes of each register, AccVGPRs behind 256 others
    u32 s[SGPRS] __attribute__((aligned(16)));
    u32 scc;
    u8 *lds;
    u32 lds_size;
    u32 scratch_size;  // of a lane
    u8 *scratch;       // the lanes one after another
    const Op *code;
    u64 code_size;
    const Op *pc;
    const Memory *memory;
    Range last[2];     // where memory was touched last
    i64 budget;        // branches backwards until the wave gives way
    u32 fault, fault_lane;
    u64 fault_address, fault_size;
    u32 mode, wave_number, trap;
    u64 clock;
    struct WaveWatch *watch;  // null where nobody watches
    void (*seen)(struct Wave *, const Op *, const u64 *address, u64 on, u32 part);
    i64 turn;     // accesses to memory until another wave's turn
    u64 changes;  // atomics that changed something
    u8 found[WIDEST];  // what a load brings that reaches beyond the end of its memory
} Wave;

#define NEXT __attribute__((musttail)) return op[1].run(w, op + 1)
// Where a launch is watched, behind what reached memory: waves take turns there.
#define TURN                                                              \
    do {                                                                  \
        if (--w->turn < 0) { w->pc = op + 1; return STOP_TURN; }          \
        NEXT;                                                             \
    } while (0)
#define EXECUTE(name) int name(Wave *w, const Op *op)

#if LANES == 64
typedef u64 mask;
#else
typedef u32 mask;
#endif
#define ALL ((mask)~0ul)

ALWAYS u64 s64(const Wave *w, u64 n) { return (u64)w->s[n + 1] << 32 | w->s[n]; }
ALWAYS void set_s64(Wave *w, u64 n, u64 x) { w->s[n] = (u32)x, w->s[n + 1] = (u32)(x >> 32); }
ALWAYS mask get_mask(const Wave *w, u64 n) { return LANES == 64 ? (mask)s64(w, n) : (mask)w->s[n]; }
ALWAYS void set_mask(Wave *w, u64 n, mask x) {
    if (LANES == 64) set_s64(w, n, x);
    else w->s[n] = (u32)x;
}
ALWAYS mask exec(const Wave *w) { return *(const mask *)&w->s[EXEC]; }
ALWAYS vu32 *reg(Wave *w, u64 n) { return (vu32 *)(w->v + n * LANES); }
ALWAYS vi32 lanes_of(mask bits) { return -CONVERT(AS(bits, vbool), vi32); }
#define BITS(x) AS(CONVERT(x, vbool), mask)
#define EACH(lane, on) for (mask left_ = (on), lane = 0; left_ && (lane = (mask)__builtin_ctzl(left_), 1); left_ &= left_ - 1)

// Writing: only the lanes that are on.
ALWAYS void put(Wave *w, u64 n, vu32 x) {
    vu32 *d = reg(w, n);
    mask on = exec(w);
    if (on == ALL) *d = x;
    else *d = lanes_of(on) ? x : *d;
}
ALWAYS vu64 pair(Wave *w, u64 n) { return CONVERT(*reg(w, n), vu64) | CONVERT(*reg(w, n + 1), vu64) << 32; }
ALWAYS void put_pair(Wave *w, u64 n, vu64 x) {
    put(w, n, CONVERT(x, vu32));
    put(w, n + 1, CONVERT(x >> 32, vu32));
}
ALWAYS int fault(Wave *w, const Op *op, u32 kind, u64 lane, u64 address, u64 size) {
    w->pc = op, w->fault = kind, w->fault_lane = (u32)lane, w->fault_address = address, w->fault_size = size;
    return STOP_FAULT;
}
ALWAYS u32 first_lane(mask bits) { return bits ? (u32)__builtin_ctzl(bits) : 0; }

// Branches. A wave that goes round and round gives way to those it may be waiting for.
#define JUMP(distance)                                                   \
    do {                                                                 \
        const Op *to = op + (distance);                                  \
        if (to <= op && --w->budget < 0) { w->pc = to; return STOP_YIELD; } \
        __attribute__((musttail)) return to->run(w, to);                 \
    } while (0)

