// What is kept beside the machine's state where a launch is watched: which bits of registers nobody wrote, who touched
// which memory last and when, what each wave knows of the others.
#pragma once
#include "launch.h"

enum { V_NONE = 516, V_COUNT, SCC = SGPRS, S_NONE, S_COUNT };  // registers that stand for none

// Beside each instruction: what it reads and writes. Written by watch.py.
enum { KIND_NONE, KIND_PLAIN, KIND_RANGES, KIND_READ_LANE, KIND_WRITE_LANE, KIND_BRANCH, KIND_FENCE, KIND_MEMORY, KIND_WIDE, KIND_INDEXED };
enum { ACROSS = 1, LANE_FIRST = 2, LANE_REGISTER = 4 };                           // how, of what computes
// How, of what reaches memory. Addresses are the first two registers read, data the next two.
enum { LOADS = 1, STORES = 2, MARKED = 4, RETURNS = 8, COMPARES = 16, SCALAR = 32, LOCKS = 64 };
enum { SPACE_GLOBAL, SPACE_FLAT, SPACE_SCRATCH, SPACE_LDS };
typedef struct Record {
    Run run;          // the function itself; in an image the number of the watched one
    u8 kind, how, space, size;  // size: bytes of a lane
    u8 words, shift;  // words: registers of a lane's data; shift: where in a register less than one of them lies
    u16 data;
    u16 v_use[6], v_def[2];
    u8 s_use[5], s_def[5];
    u8 unused[6];
} Record;

typedef struct Snapshot Snapshot;
typedef struct Reference Reference;

typedef struct WaveWatch {
    u64 any[V_COUNT];    // lanes of a register of which bits are unknown
    u64 whole[V_COUNT];  // those of which all bits are; for the others, `bits` tells
    u32 s[S_COUNT];      // unknown bits
    u32 *bits;
    struct GroupWatch *group;
    u64 started, missed; // lanes that it began with; those that were off at a barrier
    u32 missed_op;
    u32 id;              // of all waves of the launch, from 1
    u32 clock;           // moves on at barriers and releases
    u32 *known;          // of each wave of the group: accesses with clocks below this came before
    u32 *released;       // the part of it that others may see
    Reference *references;  // what came from other groups
    Snapshot *snapshot;     // what was published last
    u32 met;                // the clock of the last barrier before it stored a flag
    u32 is_dirty, has_released;  // dirty: DID_READ, DID_WRITE since the last release
    u32 sure_wave, sure_clock;   // what was asked last, and is so
    u64 states[4], stuck;        // where it gave way, as hashes; at which state of memory it was found to turn in circles
} WaveWatch;

enum { DID_READ = 1, DID_WRITE = 2 };
enum { RELEASES = 1, RELEASES_READS = 2 };  // how, of a fence: all, or all if nothing was written

typedef struct LdsCell {
    u32 readers;         // waves, since the last barrier
    u16 read_base, write_clock;
    u8 writer, known, written, flags;  // known, written: bits for bytes
    u32 write_op;
} LdsCell;
typedef struct LdsByte { u16 clock, read_base; u8 writer; u32 op, readers; } LdsByte;  // of words that were touched in part
enum { BY_ATOMIC = 1, NARROW = 2, READ_NARROW = 4, LDS_CLOCKS = 60000 };

typedef struct GroupWatch {
    struct Watch *watch;
    WaveWatch *waves;
    LdsCell *lds;
    LdsByte *bytes;
    u32 *lds_changers;   // waves that changed a word by atomics since the last barrier
    u32 *lds_read_op, *knowledge;  // knowledge: what waves know, what they released, what locks in LDS hand on
    u32 *lock_known;
    u16 *scratch;        // of each word of each lane: the turn in which it was written
    u32 *bits;
    u32 count, base, origin, has_locks, number;  // base: the clock of the last barrier; origin: what clocks of LDS count from
    u16 turn;
} GroupWatch;

enum { LAST_WRITE, FIRST_READ, LAST_READ };
typedef struct Cell {
    u32 wave[3];
    u32 op[3];           // with the bytes and whether it was atomic above OP_BITS
    u16 clock[3];
    u16 has_published;
} Cell;
enum { OP_BITS = 24, OP_MASK = (1 << OP_BITS) - 1, CELL_BYTES = 15 << OP_BITS, CELL_ATOMIC = 1 << 28, CELL_SAME = 1 << 29, CLOCK_MAX = 65535 };

typedef struct Row {     // as many words as a wave has lanes: all touched alike, or each with a cell
    Cell all;
    Cell *cells;
} Row;

typedef struct Shadow {
    u64 start, end;
    Row *rows;
    u8 *known;           // a bit for each byte; null: all are known
    u32 writable;
} Shadow;

typedef struct Arena { struct Arena *next; u64 used, size; } Arena;
typedef struct Published { u64 address; u32 count, room; Snapshot **all; u64 visited; u32 visited_count; } Published;
typedef struct Step { u32 wave, clock; Snapshot *snapshot; struct Step *before; } Step;

enum { SEEN_MOST = 1024 };  // kinds of one launch
typedef struct Watch {
    const Launch *launch;
    Record *records;
    Shadow *shadows, *last;
    u64 shadow_count;
    Arena *arena;
    Published **published;  // by address
    u64 published_count, published_room;
    Step **steps;        // of each wave, the newest first
    Reference **left; u64 left_room;  // where a question about waves has yet to look
    u8 *guesses;         // reads by which a compare-and-swap began
    u64 query, changes;
    u32 waves_of_group, weak_stores;
    u64 random, order;
    Seen *seen; u64 seen_count, forgotten;
} Watch;

ALWAYS const Record *record_of(const Wave *w, const Op *op) { return w->watch->group->watch->records + (op - w->code); }

#pragma GCC visibility push(hidden)
// Undefined registers.
Run watcher_for(const Record *);
void forget_registers(WaveWatch *, u32 vgprs, u32 handed, u32 id_registers);
u32 unknown_bits(const WaveWatch *, u32 reg, u32 lane);
void set_unknown(WaveWatch *, u32 reg, u32 lane, u32 bits);

// Who knows of whom.
int came_before(WaveWatch *me, u32 wave, u32 clock, int is_load);
void release(WaveWatch *me, u32 how);
void release_loads(WaveWatch *me);
void publish(WaveWatch *me, u64 address);
void acquire(WaveWatch *me, u64 address, const Cell *);
void meet(GroupWatch *);
void lock(WaveWatch *me);

// Memory.
void seen_access(Wave *, const Op *, const u64 *address, u64 on, u32 part);
void note(Wave *, const Op *, u32 kind, u32 lane, u64 address, u64 size, u32 other_wave, u32 other_op);
void *lasting(Watch *, u64 size);

// A launch, its groups, its waves.
Watch *begin_watching(const Launch *, Record *, const Request *);
GroupWatch *watch_group(Watch *);  // room for one
void start_watching(GroupWatch *, Wave *waves, u32 number);
void came_to_barrier(Wave *);
void pass_barrier(GroupWatch *, Wave *waves, const u8 *state);
int is_stuck(Wave *);              // it gave way, as it did before, and nothing has changed since
void unwatch_group(GroupWatch *);
void end_watching(Watch *, Request *);
#pragma GCC visibility pop
