// One launch, as the loop sees it.
#pragma once
#include "machine.h"
#include "memory.h"

enum { BEYOND_MOST = 64 };

typedef struct Launch {
    const Op *code;
    u64 code_size, entry;
    Memory memory;
    u32 grid[3], block[3];
    u32 vgprs, lds_size, scratch_size, user_sgprs;
    u32 sgprs[32];
    u32 group_ids;   // which of x, y, z are handed over, as bits
    u32 packed_ids;  // all of a work item's numbers in one register
    u32 id_registers;
    u32 mode;
    i64 budget;
    u64 limit;       // branches backwards of a wave until it is taken for endless; 0: none
    u64 next, groups;
    u64 *done;       // groups that have ended
    u32 *stop;       // set from outside too
    u32 reason;
    Wave report;     // the wave that went wrong
    u32 report_group[3];
    struct Watch *watch;  // null where nobody watches
    Seen beyond[BEYOND_MOST];  // reads beyond the end of memory, of each instruction the first
    u32 beyond_count, beyond_lock;
} Launch;

enum { READY, WAITING, DONE };  // states of waves

int run_launch(Launch *);
