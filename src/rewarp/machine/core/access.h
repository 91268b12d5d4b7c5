// One access of one wave, as those who watch memory see it.
#pragma once
#include "watch.h"

#define RARE(x) __builtin_expect(!!(x), 0)

typedef struct Access {
    Wave *w;
    WaveWatch *me;
    Watch *k;
    const Op *op;
    const Record *r;
    u32 op_number, part, writes, atomic, is_rmw;
    u32 is_fresh;  // what is there nobody wrote
    u32 is_same;   // a store of what is there already
} Access;

ALWAYS u32 source_of(const Access *a) { return a->r->v_use[a->part ? 3 : 2]; }
ALWAYS u32 spread(u32 bytes) {  // a bit for each byte becomes eight
    return (bytes & 1 ? 255u : 0) | (bytes & 2 ? 255u << 8 : 0) | (bytes & 4 ? 255u << 16 : 0) | (bytes & 8 ? 255u << 24 : 0);
}

#pragma GCC visibility push(hidden)
Seen *noted(Wave *, u32 op, u32 kind, u32 lane, u64 address, u64 size, u32 other_wave, u32 other_op);  // null: it is known already
void loaded(Access *, u64 on);                              // what a load brings is known,
void loaded_unknown(Access *, u32 lane, u32 unknown);       // but these bytes of a lane's data, from the first one
u64 stores_unknown(Access *, u64 on);                       // lanes whose data is not wholly known
u32 unknown_bytes(Access *, u32 lane);                      // bytes of a lane's data of which no bit is known
int is_padding(Access *, u32 lane);
int same_value(const Access *, u32 lane, const u8 *memory);
void reach_lds(Access *, const u64 *address, u64 on);
void reach_scratch(Access *, const u64 *address, u64 on);
#pragma GCC visibility pop
