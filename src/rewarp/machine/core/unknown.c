// Registers that nobody wrote. Where all that an instruction reads is known, so is what it writes: a few masks are looked at.
// Where something is not, the instruction is tried with several values in place of the unknown bits: those bits of its
// results that differ are unknown too. So masks, shifts, permutes and selections need no rules of their own.
#include <string.h>
#include "watch.h"

enum { REGISTERS_READ = 80, REGISTERS_WRITTEN = 40 };
#define RARE(x) __builtin_expect(!!(x), 0)
#define GO_ON __attribute__((musttail)) return op[1].run(w, op + 1)
#define DO_IT __attribute__((musttail)) return r->run(w, op)

u32 unknown_bits(const WaveWatch *k, u32 reg, u32 lane) {
    if (!(k->any[reg] >> lane & 1)) return 0;
    return k->whole[reg] >> lane & 1 ? ~0u : k->bits[reg * LANES + lane];
}

void set_unknown(WaveWatch *k, u32 reg, u32 lane, u32 bits) {
    u64 one = 1ul << lane;
    k->any[reg] = bits ? k->any[reg] | one : k->any[reg] & ~one;
    k->whole[reg] = bits == ~0u ? k->whole[reg] | one : k->whole[reg] & ~one;
    if (bits && bits != ~0u) k->bits[reg * LANES + lane] = bits;
}

void forget_registers(WaveWatch *k, u32 vgprs, u32 handed, u32 ids) {
    for (u32 n = 0; n < vgprs; n++) k->any[n] = k->whole[n] = (u64)ALL;
    memset(k->any + vgprs, 0, (V_COUNT - vgprs) * 8);
    for (u32 n = 0; n <= ids; n++) k->any[n] = 0;
    memset(k->s, 255, sizeof k->s);
    memset(k->s, 0, handed * 4);
    for (u32 n = 108; n < 124; n++) k->s[n] = 0;
    k->s[SCC] = 1;
    k->s[EXEC] = k->s[EXEC + 1] = k->s[125] = k->s[S_NONE] = 0;
}

// --- an instruction that reads what is unknown ----------------------------------------------

static int here(Wave *w, const Op *op) { return 0; }

static u32 listed(const u16 *from, u32 count, int ranges, u16 *to, u32 room) {
    u32 n = 0;
    for (u32 at = 0; at < count; at += ranges ? 2 : 1)
        for (u32 more = 0; more < (ranges ? from[at + 1] : 1u); more++)
            if (from[at] != V_NONE && n < room) to[n++] = (u16)(from[at] + more);
    return n;
}

typedef struct Trial {
    u16 uses[REGISTERS_READ], defs[REGISTERS_WRITTEN];
    u32 use_count, def_count;
    u32 used[REGISTERS_READ][LANES], held[REGISTERS_WRITTEN][LANES], made[REGISTERS_WRITTEN][LANES];
    u32 differs[REGISTERS_WRITTEN][LANES];
    u32 s_held[SGPRS + 1], s_made[SGPRS + 1], s_differs[5];
} Trial;
enum { TRIALS = 15 };  // the last ones with a value of its own for each register and lane

static void restore(Wave *w, const Trial *t) {
    for (u32 n = 0; n < t->use_count; n++) memcpy(reg(w, t->uses[n]), t->used[n], sizeof t->used[n]);
    for (u32 n = 0; n < t->def_count; n++) memcpy(reg(w, t->defs[n]), t->held[n], sizeof t->held[n]);
    memcpy(w->s, t->s_held, sizeof t->s_held);
}

static u32 tried(const Trial *t, const Op *op, const Record *r, u32 trial, u32 number, u32 lane) {
    static const u32 VALUES[] = {0, ~0u, 0x7f7fffff, 0xff7fffff};
    if (trial < 4) return VALUES[trial];
    if (trial == 4) return (u32)op->a;
    if (trial == 5) return (u32)op->b;
    if (trial == 6 || trial == 7) return r->s_use[trial - 6] < S_NONE ? t->s_held[r->s_use[trial - 6]] : 1;
    if (trial > 8) {
        u64 mixed = ((u64)trial << 40 | (u64)number << 20 | lane) * 0x9e3779b97f4a7c15ul;
        return (u32)(mixed >> 32) ^ (u32)(mixed >> 11);
    }
    // The value beside it, so that a comparison for equality is seen to depend on it.
    u32 other = (number + (t->use_count % 2 ? 1 : t->use_count / 2)) % (t->use_count ? t->use_count : 1);
    return t->use_count > 1 && number < t->use_count ? t->used[other][lane] : 0x55555555;
}

static void poke(Wave *w, const Trial *t, const Op *op, const Record *r, u32 trial) {
    WaveWatch *k = w->watch;
    for (u32 n = 0; n < t->use_count; n++) {
        u32 *to = (u32 *)reg(w, t->uses[n]);
        for (u64 left = k->any[t->uses[n]]; left; left &= left - 1) {
            u32 lane = (u32)__builtin_ctzl(left), bits = unknown_bits(k, t->uses[n], lane);
            if (lane < LANES) to[lane] = (t->used[n][lane] & ~bits) | (tried(t, op, r, trial, n, lane) & bits);
        }
    }
    for (u32 n = 0; n < 5; n++) {
        u32 at = r->s_use[n], bits = k->s[at];
        if (at == S_NONE || !bits) continue;
        u32 value = (t->s_held[at] & ~bits) | (tried(t, op, r, trial, n + 40, 0) & bits);
        w->s[at] = at == SCC ? trial & 1 : value;
    }
}

static void compare(Wave *w, Trial *t, const Record *r) {
    for (u32 n = 0; n < t->def_count; n++)
        for (u32 lane = 0; lane < LANES; lane++) t->differs[n][lane] |= ((u32 *)reg(w, t->defs[n]))[lane] ^ t->made[n][lane];
    for (u32 n = 0; n < 5; n++)
        if (r->s_def[n] != S_NONE) t->s_differs[n] |= w->s[r->s_def[n]] ^ t->s_made[r->s_def[n]];
}

static __attribute__((noinline)) void try_it(Wave *w, const Op *op, const Record *r) {
    WaveWatch *k = w->watch;
    Trial t;
    int ranges = r->kind == KIND_RANGES;
    u64 written = ranges ? (u64)ALL : (u64)exec(w);
    Op alone[2] = {*op, {here}};
    t.use_count = listed(r->v_use, 6, ranges, t.uses, REGISTERS_READ);
    t.def_count = listed(r->v_def, 2, ranges, t.defs, REGISTERS_WRITTEN);
    for (u32 n = 0; n < t.use_count; n++) memcpy(t.used[n], reg(w, t.uses[n]), sizeof t.used[n]);
    for (u32 n = 0; n < t.def_count; n++) memcpy(t.held[n], reg(w, t.defs[n]), sizeof t.held[n]);
    memcpy(t.s_held, w->s, sizeof t.s_held);
    memset(t.differs, 0, t.def_count * sizeof t.differs[0]), memset(t.s_differs, 0, sizeof t.s_differs);
    r->run(w, alone);
    for (u32 n = 0; n < t.def_count; n++) memcpy(t.made[n], reg(w, t.defs[n]), sizeof t.made[n]);
    memcpy(t.s_made, w->s, sizeof t.s_made);
    for (u32 trial = 0; trial < TRIALS; trial++) {
        restore(w, &t);
        poke(w, &t, op, r, trial);
        r->run(w, alone);
        compare(w, &t, r);
    }
    restore(w, &t);
    for (u32 n = 0; n < t.def_count; n++) memcpy(reg(w, t.defs[n]), t.made[n], sizeof t.made[n]);
    memcpy(w->s, t.s_made, sizeof t.s_made);
    for (u32 n = 0; n < t.def_count; n++) {
        k->any[t.defs[n]] &= ~written;
        for (u64 left = written; left; left &= left - 1) {
            u32 lane = (u32)__builtin_ctzl(left);
            if (t.differs[n][lane]) set_unknown(k, t.defs[n], lane, t.differs[n][lane]);
        }
    }
    u32 diverges = 0;
    for (u32 n = 0; n < 5; n++) {
        if (r->s_def[n] == S_NONE) continue;
        int is_mask = r->s_def[n] == EXEC || r->s_def[n] == EXEC + 1;
        k->s[r->s_def[n]] = is_mask ? 0 : t.s_differs[n];
        if (is_mask && t.s_differs[n]) diverges = 1 + (u32)__builtin_ctz(t.s_differs[n]) + 32 * (r->s_def[n] - EXEC);
    }
    if (diverges) note(w, op, SEEN_UNKNOWN_BRANCH, diverges - 1, 0, 0, 0, ~0u);
}

// --- the usual case: a few masks ------------------------------------------------------------

static EXECUTE(watch_one) {  // one result, up to three sources
    const Record *r = record_of(w, op);
    WaveWatch *k = w->watch;
    u64 on = exec(w);
    if (RARE((k->any[r->v_use[0]] | k->any[r->v_use[1]] | k->any[r->v_use[2]]) & on) || RARE(k->s[r->s_use[0]] | k->s[r->s_use[1]])) {
        try_it(w, op, r);
        GO_ON;
    }
    k->any[r->v_def[0]] &= ~on;
    DO_IT;
}

static EXECUTE(watch_scalar) {
    const Record *r = record_of(w, op);
    u32 *s = w->watch->s;
    if (RARE(s[r->s_use[0]] | s[r->s_use[1]] | s[r->s_use[2]])) {
        try_it(w, op, r);
        GO_ON;
    }
    s[r->s_def[0]] = s[r->s_def[1]] = s[r->s_def[2]] = 0;
    DO_IT;
}

static EXECUTE(watch_any) {
    const Record *r = record_of(w, op);
    WaveWatch *k = w->watch;
    u64 on = exec(w), unknown = 0;
    u32 s = 0;
    for (u32 n = 0; n < 6; n++) unknown |= k->any[r->v_use[n]];
    for (u32 n = 0; n < 5; n++) s |= k->s[r->s_use[n]];
    if (RARE((r->how & ACROSS ? unknown : unknown & on) | s)) {
        try_it(w, op, r);
        GO_ON;
    }
    k->any[r->v_def[0]] &= ~on, k->any[r->v_def[1]] &= ~on;
    for (u32 n = 0; n < 5; n++) k->s[r->s_def[n]] = 0;
    DO_IT;
}

// A product plus a pair of registers: compilers leave the upper one unknown where they use the lower result alone.
static EXECUTE(watch_wide) {
    const Record *r = record_of(w, op);
    WaveWatch *k = w->watch;
    u64 on = exec(w), high = k->any[r->v_use[5]] & on, unknown = 0;
    for (u32 n = 0; n < 5; n++) unknown |= k->any[r->v_use[n]];
    if (RARE(unknown & on) || RARE(k->s[r->s_use[0]] | k->s[r->s_use[1]])) {
        try_it(w, op, r);
        GO_ON;
    }
    k->any[r->v_def[0]] &= ~on;
    k->any[r->v_def[1]] = (k->any[r->v_def[1]] & ~on) | high, k->whole[r->v_def[1]] |= high;
    for (u32 n = 0; n < 5; n++) k->s[r->s_def[n]] = 0;
    DO_IT;
}

static EXECUTE(watch_ranges) {
    const Record *r = record_of(w, op);
    WaveWatch *k = w->watch;
    u64 unknown = 0;
    for (u32 n = 0; n < 6; n += 2)
        for (u32 at = 0; at < r->v_use[n + 1]; at++) unknown |= k->any[r->v_use[n] + at];
    if (RARE(unknown)) {
        try_it(w, op, r);
        GO_ON;
    }
    for (u32 at = 0; at < r->v_def[1]; at++) k->any[r->v_def[0] + at] = 0;
    DO_IT;
}

static u32 lane_of(const Wave *w, const Op *op, const Record *r, u32 slot) {
    if (r->how & LANE_FIRST) return first_lane(exec(w));
    return (r->how & LANE_REGISTER ? w->s[r->s_use[slot]] : (u32)op->b) & (LANES - 1);
}

static EXECUTE(watch_read_lane) {
    const Record *r = record_of(w, op);
    w->watch->s[r->s_def[0]] = unknown_bits(w->watch, r->v_use[0], lane_of(w, op, r, 0));
    DO_IT;
}

static EXECUTE(watch_write_lane) {
    const Record *r = record_of(w, op);
    set_unknown(w->watch, r->v_def[0], lane_of(w, op, r, 1), w->watch->s[r->s_use[0]]);
    DO_IT;
}

// A register whose number is computed: which one is not looked at, and so all of them count as written.
static EXECUTE(watch_indexed) {
    const Record *r = record_of(w, op);
    for (u32 n = 0; n < V_NONE; n++) w->watch->any[n] &= ~(u64)exec(w);
    DO_IT;
}

static EXECUTE(watch_branch) {
    const Record *r = record_of(w, op);
    u32 *s = w->watch->s, at = r->s_use[0];
    if (RARE(s[at] | s[r->s_use[1]])) {
        u64 known = at == SCC ? 0 : (w->s[at] & ~s[at]) | (r->s_use[1] == S_NONE ? 0 : w->s[at + 1] & ~s[at + 1]);
        if (!known) note(w, op, SEEN_UNKNOWN_BRANCH, 0, 0, 0, 0, ~0u);
        s[at] = 0, s[r->s_use[1]] = 0;
    }
    DO_IT;
}

static EXECUTE(watch_fence) {
    const Record *r = record_of(w, op);
    release(w->watch, r->how);
    DO_IT;
}

Run watcher_for(const Record *r) {
    switch (r->kind) {
    case KIND_RANGES: return watch_ranges;
    case KIND_READ_LANE: return watch_read_lane;
    case KIND_WRITE_LANE: return watch_write_lane;
    case KIND_BRANCH: return watch_branch;
    case KIND_FENCE: return watch_fence;
    case KIND_WIDE: return watch_wide;
    case KIND_INDEXED: return watch_indexed;
    case KIND_PLAIN: break;
    default: return 0;
    }
    int vector = r->v_def[0] != V_NONE || r->v_use[0] != V_NONE;
    if (!vector && r->s_use[3] == S_NONE && r->s_def[3] == S_NONE) return watch_scalar;
    int small = r->v_use[3] == V_NONE && r->v_def[1] == V_NONE && r->s_use[2] == S_NONE && r->s_def[0] == S_NONE;
    return vector && small && !(r->how & ACROSS) ? watch_one : watch_any;
}
