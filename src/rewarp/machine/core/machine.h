// What the machine offers to those who launch kernels: programs as images, launches, outcomes. The layout of an image is
// written by image.py; a program that was loaded from one can be launched any number of times, from any thread.
#pragma once
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef int i32;
typedef long i64;

typedef struct Program Program;

typedef struct Range {
    u64 start, end;
    u32 writable, number;  // the number is the caller's, for what he says of it
} Range;

typedef struct Piece {  // what a kernel's arguments are
    u32 kind, offset, size;
} Piece;

// Kinds of arguments, in the order of image.py.
enum {
    ARGUMENT_VALUE, ARGUMENT_POINTER, ARGUMENT_HIDDEN,
    HIDDEN_BLOCK_COUNT_X, HIDDEN_BLOCK_COUNT_Y, HIDDEN_BLOCK_COUNT_Z,
    HIDDEN_GROUP_SIZE_X, HIDDEN_GROUP_SIZE_Y, HIDDEN_GROUP_SIZE_Z,
    HIDDEN_GRID_DIMS, HIDDEN_DYNAMIC_LDS_SIZE, HIDDEN_PRINTF_BUFFER, HIDDEN_MULTIGRID_SYNC,
    HIDDEN_HEAP, HIDDEN_HOSTCALL,  // left as the caller gives them
};

// Registers that are filled before a kernel starts, as bits of `handed`, in the order in which they lie.
enum { HAND_DISPATCH = 1, HAND_QUEUE = 2, HAND_KERNARG = 4, HAND_DISPATCH_ID = 8, HAND_SCRATCH_SIZE = 16, HAND_SCRATCH_BUFFER = 32, HAND_SCRATCH_INIT = 64 };

typedef struct Kernel {
    u32 name, entry;            // a string; an instruction
    u32 lds, scratch, dynamic_stack, kernarg_size;
    u32 handed, user_sgprs, preload_length, preload_offset;
    u32 group_ids, id_registers;
    u32 vgprs;                  // that a wave gets here
    u32 declared_vgprs, declared_sgprs, max_threads;
    u32 refused;                // why it cannot be run: a string; 0: it can
    u32 first_argument, arguments;
} Kernel;

enum { REASON_NONE, REASON_FAULT, REASON_TRAP, REASON_ENDLESS, REASON_MEMORY, REASON_UNKNOWN, REASON_STOPPED, REASON_REFUSED, REASON_DEADLOCK };

// What was seen where a launch is watched: each kind at a pair of instructions once, with how often it was.
enum {
    SEEN_NOTHING, SEEN_UNKNOWN_ADDRESS, SEEN_UNKNOWN_BRANCH, SEEN_UNKNOWN_STORE,
    SEEN_LDS_RACE, SEEN_GROUP_RACE, SEEN_GRID_RACE,
    SEEN_DIVERGED_BARRIER, SEEN_OTHER_BARRIER, SEEN_ENDED_BARRIER, SEEN_DEADLOCK,
    SEEN_BEYOND, SEEN_MISALIGNED,
};
enum { SEEN_WRITES = 1, SEEN_ATOMIC = 2, SEEN_OTHER_WROTE = 4, SEEN_OTHER_ATOMIC = 8 };
typedef struct Seen {
    u32 kind, how, op, other_op;       // the other side of a race; ~0: there is none
    u32 group[3], other_group[3];
    u32 wave, other_wave, lane, range;  // range: the number of the memory that was touched; ~0: none of the caller's
    u64 address, size, offset, count;   // offset: in that memory, or in LDS
} Seen;

typedef struct Fresh {  // memory of which nobody wrote anything yet, but the bytes whose bits are set
    u64 start, end;
    u8 *known;          // a bit for each byte, changed as kernels write; with room for 16 bytes more
} Fresh;

typedef struct Request {
    u32 kernel, cooperative;
    u32 grid[3], block[3];
    u32 dynamic_lds, cores;
    const u8 *arguments;        // as they lie in the kernel's segment; hidden ones are filled in
    u64 arguments_size;
    const Range *ranges;        // what the kernel may touch besides the program's own data
    u64 range_count;
    u64 limit;                  // turns of a wave until it is taken for endless; 0: none
    const char *(*name_of)(u32 number);  // of a range, for what is said of it; may be null
    const char *(*freed)(u64 address);   // of what was there before, null where nothing was; may be null
    void (*answer)(void);                // what kernels asked the host for, called by any core; may be null
    u64 order;                  // of waves and groups; 0: the usual one, others are hostile, each always the same
    u32 watch;                  // whether to watch
    u32 has_blocks;             // whether reads go on to the end of a range's last block, and are told, watched or not
    const Fresh *fresh;
    u64 fresh_count;
    // What comes back. `done` and `stop` may be read and written while it runs.
    u64 done, groups;
    u32 stop;
    u32 reason, fault, lane, wave, op;
    u32 group[3];
    u64 address, size;
    Seen *seen;                 // the caller frees it
    u64 seen_count, seen_forgotten;  // forgotten: kinds for which there was no room
    char *printed;              // the caller frees it
    u64 printed_size;
    char why[512];
} Request;

// Null, with the reason in `error`, for an image that cannot be loaded. `folder` holds the libraries that it names.
Program *machine_load(const u8 *image, u64 size, const char *folder, char *error, u64 error_size);
void machine_unload(Program *);
const Kernel *machine_kernel(const Program *, const char *name, u32 *number);
const Kernel *machine_kernel_at(const Program *, u32 number);  // null behind the last
const Piece *machine_arguments(const Program *, const Kernel *);
const char *machine_string(const Program *, u32 string);
u64 machine_symbol(const Program *, const char *name, u64 *size);  // 0: there is none
int machine_place(const Program *, u32 op, const char **file, u32 *line);  // of the source; 0: unknown
const char *machine_instruction(const Program *, u32 op);
u64 machine_block(const Program *, u32 number, u64 *size, u32 *writable);  // its own data; 0 behind the last
int machine_launch(Program *, Request *);  // REASON_NONE, or why it went wrong
