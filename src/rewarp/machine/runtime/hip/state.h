// What the parts of the HIP runtime share. Work is done when it is asked for: a stream is an order, not a queue.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hip/hip_runtime_api.h>
#include "machine.h"

#define API __attribute__((visibility("default")))

// --- errors ----------------------------------------------------------------------------------
hipError_t said(hipError_t);                 // keeps an error as the thread's last
#define CHECK(condition, error) do { if (!(condition)) return said(error); } while (0)
#define TRY(call) do { hipError_t error_ = (call); if (error_ != hipSuccess) return said(error_); } while (0)

// --- the card --------------------------------------------------------------------------------
typedef struct Card {
    const char *arch, *name;
    int lanes, units, clock_mhz, memory_mhz, bus_width, l2_kib;
    u64 memory;
    int vgprs, vgpr_granule, waves_per_simd, simds, lds, lds_per_block, barriers;
} Card;
const Card *card(void);
extern const Card CARDS[];                   // generated from the tables; ends with one that has no arch

// --- settings, from the environment ----------------------------------------------------------
typedef struct Settings {
    u32 cores, watch, progress, order;
    u64 memory, limit;
    const char *report;
} Settings;
const Settings *settings(void);

// --- memory ----------------------------------------------------------------------------------
typedef enum { DEVICE, PINNED, MANAGED, REGISTERED, VARIABLE } Kind;
typedef struct Allocation {
    u64 start, size;
    Kind kind;
    u32 number, flags, is_mapped;
    const char *call;                        // the function that made it
    u8 *known;                               // a bit for each byte that somebody wrote; null: all of it counts as written
    u32 of_graph;
} Allocation;
Allocation *allocation_of(const void *);     // the one that holds an address; null: the host's own memory
hipError_t allocate(void **, u64 size, Kind, u32 flags, const char *call);
hipError_t release(void *, int host, const char *call);
u64 memory_used(void);
hipError_t reserve(void **, u64 size, const char *call);  // addresses for memory that a graph allocates when it runs
hipError_t fill_reserved(void *);            // an error where it is still there from the last time
int is_reserved(const void *);
u64 reserved_behind(const void *);           // how many bytes of such addresses come from one on
void add_variable(u64 start, u64 size, const char *name);
const Range *kernel_ranges(u64 *count);      // a copy, the caller frees it
const Fresh *kernel_fresh(u64 *count);       // what of it nobody wrote yet; the caller frees it
void wrote(const void *, u64 size);          // from now on somebody did
void copied(const void *to, const void *from, u64 size);
const char *range_name(u32 number);
const char *freed_name(u64 address);         // of what was there and was freed; null: nothing

typedef struct Copy {
    u8 *to;
    const u8 *from;
    u64 to_pitch, to_slice, from_pitch, from_slice, width, height, depth;
    hipMemcpyKind kind;
} Copy;
typedef struct Fill {
    u8 *to;
    u64 pitch, slice, width, height, depth;  // width in elements
    u32 value, size;
} Fill;
hipError_t check_copy(const Copy *);
Copy box_copy(const hipMemcpy3DParms *);     // of memory with pitches, not of arrays
Copy plain_copy(void *to, const void *from, u64 size, hipMemcpyKind);

// --- modules and kernels ---------------------------------------------------------------------
typedef struct Core {                        // the machine for one width of waves
    Program *(*load)(const u8 *, u64, const char *, char *, u64);
    const Kernel *(*kernel)(const Program *, const char *, u32 *);
    const Kernel *(*kernel_at)(const Program *, u32);
    const Piece *(*arguments)(const Program *, const Kernel *);
    const char *(*string)(const Program *, u32);
    u64 (*symbol)(const Program *, const char *, u64 *);
    int (*place)(const Program *, u32, const char **, u32 *);
    const char *(*instruction)(const Program *, u32);
    u64 (*block)(const Program *, u32, u64 *, u32 *);
    int (*launch)(Program *, Request *);
} Core;
const Core *core(void);

typedef struct ihipModuleSymbol_t {
    struct ihipModule_t *module;
    const Kernel *kernel;
    const char *name;
    u32 number;
    u64 launches, waves;
    double seconds;
    Seen *seen;                              // by those who watched, over all launches
    u64 seen_count, seen_forgotten;
    struct ihipModuleSymbol_t *next;
} Function;
typedef struct ihipModule_t {
    const u8 *content;                       // as it was registered or loaded
    u8 *owned;
    Program *program;                        // null until it is used
    hipError_t failed;
    Function *functions;
    struct ihipModule_t *next;
} Module;
extern Module *modules;
Module *new_module(const void *content);
hipError_t use_module(Module *);
hipError_t find_function(Module *, const char *name, Function **);
hipError_t function_of(const void *host, Function **);  // of a stub in host code, or a function itself
hipError_t translate(const char *how, const void *content, u64 size, char **path);

typedef struct Launching {
    Function *function;
    dim3 grid, block;
    u32 lds, cooperative;
    u8 *arguments;
    u64 arguments_size;
    u32 is_ours;  // none of the program's kernels: nobody watches it
} Launching;
hipError_t prepare_launch(Launching *, Function *, dim3 grid, dim3 block, u64 lds, void **parameters, void **extra);
hipError_t launch(const Launching *);
u64 all_launches(void);                      // of all kernels, so far
u64 device_heap(void);                       // 0: there is none
u64 hostcalls(void);                         // where kernels leave what they ask the host for; 0: there is no memory for it
void answer_kernels(void);

// --- streams ---------------------------------------------------------------------------------
typedef enum { TASK_EMPTY, TASK_LAUNCH, TASK_COPY, TASK_FILL, TASK_HOST, TASK_RECORD, TASK_WAIT, TASK_GRAPH, TASK_ALLOC, TASK_FREE } TaskKind;
typedef struct Task {
    TaskKind kind;
    union {
        Launching launch;
        Copy copy;
        Fill fill;
        struct { hipHostFn_t call; void *given; } host;
        hipEvent_t event;
        hipGraph_t graph;
        hipMemAllocNodeParams alloc;
        void *freed;
    };
} Task;
hipError_t perform(const Task *);
hipError_t submit(hipStream_t, const Task *);  // does it, or adds it to the graph that the stream captures

typedef struct ihipStream_t {
    u32 flags;
    int priority;
    hipStreamCaptureStatus capture;
    hipGraph_t graph;
    hipGraphNode_t last;                     // what was captured last
    u64 number;
    struct ihipStream_t *origin;
} Stream;
typedef struct ihipEvent_t {
    u32 flags, recorded;
    double time;
    hipGraph_t graph;                        // where it was recorded while capturing
    hipGraphNode_t node;
    struct ihipStream_t *stream;
} Event;
Stream *stream_of(hipStream_t);
hipError_t record(Event *, hipStream_t);
double now(void);

typedef struct hipGraphNode {
    Task task;
    struct hipGraphNode **needs;
    u64 need_count;
    int enabled, visited;
    hipGraph_t graph;
    struct hipGraphNode *copy;               // the newest clone
} Node;
typedef struct ihipGraph {
    Node **nodes;
    u64 count, room;
    int frees_first;                         // what it allocated the last time and nobody freed
} Graph;
Node *add_node(Graph *, const Task *, Node *const *needs, u64 count);
hipError_t run_graph(Graph *);

// --- what was seen ---------------------------------------------------------------------------
void say(const char *form, ...) __attribute__((format(printf, 1, 2)));
hipError_t missing(const char *function);
void tell_unsupported(const char *kernel, const char *why);  // through no fault of the program's
void tell_unloaded(const char *kernel);      // that there is no code for it here
void tell_limit(const char *kernel, const char *text);  // of the card
__attribute__((noreturn)) void give_up(Function *, const Request *);
void keep_seen(Function *, const Request *);
void watch_launch(const Function *, Request *);  // null: none runs any more
