// Graphs: pieces of work in an order that their dependencies allow.
#include "state.h"

typedef struct hipGraphExec {
    Graph *graph;
} Executable;

Node *add_node(Graph *g, const Task *task, Node *const *needs, u64 count) {
    Node *n = calloc(1, sizeof *n);
    n->task = *task, n->enabled = 1, n->graph = g;
    n->needs = calloc(count + 1, sizeof *n->needs);
    if (count) memcpy(n->needs, needs, count * sizeof *needs);
    n->need_count = count;
    if (g->count == g->room) g->nodes = realloc(g->nodes, (g->room = g->room * 2 + 16) * sizeof *g->nodes);
    return g->nodes[g->count++] = n;
}

static hipError_t visit(Node *n) {
    if (n->visited) return hipSuccess;
    n->visited = 1;
    for (u64 at = 0; at < n->need_count; at++) {
        hipError_t error = visit(n->needs[at]);
        if (error != hipSuccess) return error;
    }
    return n->enabled ? perform(&n->task) : hipSuccess;
}

static void free_all(Graph *g) {
    for (u64 n = 0; n < g->count; n++) {
        Task *t = &g->nodes[n]->task;
        if (t->kind == TASK_ALLOC && allocation_of(t->alloc.dptr)) release(t->alloc.dptr, 0, "the graph that ran again");
        if (t->kind == TASK_GRAPH) free_all(t->graph);
    }
}

hipError_t run_graph(Graph *g) {
    if (g->frees_first) free_all(g);
    for (u64 n = 0; n < g->count; n++) g->nodes[n]->visited = 0;
    for (u64 n = 0; n < g->count; n++) {
        hipError_t error = visit(g->nodes[n]);
        if (error != hipSuccess) return error;
    }
    return hipSuccess;
}

static Graph *copy_graph(Graph *from) {
    Graph *to = calloc(1, sizeof *to);
    for (u64 n = 0; n < from->count; n++) {
        Task task = from->nodes[n]->task;
        if (task.kind == TASK_LAUNCH) {
            task.launch.arguments = malloc(task.launch.arguments_size);
            memcpy(task.launch.arguments, from->nodes[n]->task.launch.arguments, task.launch.arguments_size);
        }
        if (task.kind == TASK_GRAPH) task.graph = copy_graph(task.graph);
        from->nodes[n]->copy = add_node(to, &task, from->nodes[n]->needs, from->nodes[n]->need_count);
        to->nodes[n]->enabled = from->nodes[n]->enabled;
    }
    for (u64 n = 0; n < to->count; n++)
        for (u64 at = 0; at < to->nodes[n]->need_count; at++) to->nodes[n]->needs[at] = to->nodes[n]->needs[at]->copy;
    return to;
}

static void drop(Graph *g) {
    for (u64 n = 0; n < g->count; n++) {
        if (g->nodes[n]->task.kind == TASK_LAUNCH) free(g->nodes[n]->task.launch.arguments);
        free(g->nodes[n]->needs), free(g->nodes[n]);
    }
    free(g->nodes), free(g);
}

API hipError_t hipGraphCreate(hipGraph_t *made, unsigned flags) {
    CHECK(made && !flags, hipErrorInvalidValue);
    *made = calloc(1, sizeof **made);
    return hipSuccess;
}
API hipError_t hipGraphDestroy(hipGraph_t g) {
    CHECK(g, hipErrorInvalidValue);
    drop(g);
    return hipSuccess;
}
API hipError_t hipGraphClone(hipGraph_t *made, hipGraph_t g) {
    CHECK(made && g, hipErrorInvalidValue);
    *made = copy_graph(g);
    return hipSuccess;
}
API hipError_t hipGraphInstantiate(hipGraphExec_t *made, hipGraph_t g, hipGraphNode_t *wrong, char *log, size_t size) {
    CHECK(made && g, hipErrorInvalidValue);
    *made = calloc(1, sizeof **made);
    (*made)->graph = copy_graph(g);
    return hipSuccess;
}
API hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *made, hipGraph_t g, unsigned long long flags) {
    TRY(hipGraphInstantiate(made, g, 0, 0, 0));
    (*made)->graph->frees_first = (flags & hipGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    return hipSuccess;
}
API hipError_t hipGraphExecDestroy(hipGraphExec_t e) {
    CHECK(e, hipErrorInvalidValue);
    drop(e->graph), free(e);
    return hipSuccess;
}
API hipError_t hipGraphUpload(hipGraphExec_t e, hipStream_t stream) { return hipSuccess; }
API hipError_t hipGraphLaunch(hipGraphExec_t e, hipStream_t stream) {
    CHECK(e, hipErrorInvalidValue);
    Task task = {TASK_GRAPH, .graph = e->graph};
    return said(submit(stream, &task));
}
// The new graph has the same shape, or the old one stays.
API hipError_t hipGraphExecUpdate(hipGraphExec_t e, hipGraph_t g, hipGraphNode_t *wrong, hipGraphExecUpdateResult *result) {
    CHECK(e && g, hipErrorInvalidValue);
    if (wrong) *wrong = 0;
    int same = e->graph->count == g->count;
    for (u64 n = 0; same && n < g->count; n++) same = e->graph->nodes[n]->task.kind == g->nodes[n]->task.kind;
    if (result) *result = same ? hipGraphExecUpdateSuccess : hipGraphExecUpdateErrorTopologyChanged;
    CHECK(same, hipErrorGraphExecUpdateFailure);
    int frees_first = e->graph->frees_first;
    drop(e->graph);
    e->graph = copy_graph(g), e->graph->frees_first = frees_first;
    return hipSuccess;
}

// --- nodes -------------------------------------------------------------------------------------

static hipError_t put(hipGraphNode_t *made, Graph *g, const hipGraphNode_t *needs, size_t count, const Task *task) {
    CHECK(made && g && (needs || !count), hipErrorInvalidValue);
    *made = add_node(g, task, needs, count);
    return hipSuccess;
}
static hipError_t kernel_task(Task *task, const hipKernelNodeParams *p) {
    Function *f;
    CHECK(p, hipErrorInvalidValue);
    TRY(function_of(p->func, &f));
    task->kind = TASK_LAUNCH;
    return said(prepare_launch(&task->launch, f, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams, p->extra));
}
static hipError_t fill_task(Task *task, const hipMemsetParams *p) {
    CHECK(p && p->dst && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4), hipErrorInvalidValue);
    u64 height = p->height ? p->height : 1;
    *task = (Task){TASK_FILL, .fill = {p->dst, p->pitch, p->pitch * height, p->width, height, 1, p->value, p->elementSize}};
    return hipSuccess;
}
static hipError_t copy_task(Task *task, const Copy *c) {
    TRY(check_copy(c));
    *task = (Task){TASK_COPY, .copy = *c};
    return hipSuccess;
}
// The one that was instantiated from a node.
static Node *twin(hipGraphExec_t e, Node *n) {
    return e && n && n->copy && n->copy->graph == e->graph ? n->copy : 0;
}

API hipError_t hipGraphAddEmptyNode(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count) {
    Task task = {TASK_EMPTY};
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphAddKernelNode(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count, const hipKernelNodeParams *p) {
    Task task = {0};
    TRY(kernel_task(&task, p));
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphAddMemsetNode(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count, const hipMemsetParams *p) {
    Task task;
    TRY(fill_task(&task, p));
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count, void *to, const void *from, size_t size, hipMemcpyKind kind) {
    Task task;
    Copy c = plain_copy(to, from, size, kind);
    TRY(copy_task(&task, &c));
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count, const hipMemcpy3DParms *p) {
    Task task;
    CHECK(p && !p->srcArray && !p->dstArray, hipErrorInvalidValue);
    Copy c = box_copy(p);
    TRY(copy_task(&task, &c));
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphAddHostNode(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count, const hipHostNodeParams *p) {
    CHECK(p && p->fn, hipErrorInvalidValue);
    Task task = {TASK_HOST, .host = {p->fn, p->userData}};
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count, hipGraph_t child) {
    CHECK(child, hipErrorInvalidValue);
    Task task = {TASK_GRAPH, .graph = copy_graph(child)};
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count, hipEvent_t event) {
    CHECK(event, hipErrorInvalidValue);
    Task task = {TASK_RECORD, .event = event};
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count, hipEvent_t event) {
    CHECK(event, hipErrorInvalidValue);
    Task task = {TASK_WAIT, .event = event};
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count, hipMemAllocNodeParams *p) {
    CHECK(p, hipErrorInvalidValue);
    TRY(reserve(&p->dptr, p->bytesize, "hipGraphAddMemAllocNode"));
    Task task = {TASK_ALLOC, .alloc = *p};
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *made, hipGraph_t g, const hipGraphNode_t *needs, size_t count, void *pointer) {
    CHECK(is_reserved(pointer), hipErrorInvalidValue);
    Task task = {TASK_FREE, .freed = pointer};
    return put(made, g, needs, count, &task);
}
API hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t n, hipMemAllocNodeParams *found) {
    CHECK(n && found && n->task.kind == TASK_ALLOC, hipErrorInvalidValue);
    *found = n->task.alloc;
    return hipSuccess;
}
API hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t n, void *found) {
    CHECK(n && found && n->task.kind == TASK_FREE, hipErrorInvalidValue);
    *(void **)found = n->task.freed;
    return hipSuccess;
}

API hipError_t hipGraphAddDependencies(hipGraph_t g, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count) {
    CHECK(g && (!count || (from && to)), hipErrorInvalidValue);
    for (size_t n = 0; n < count; n++) {
        Node *t = to[n];
        t->needs = realloc(t->needs, (t->need_count + 2) * sizeof *t->needs);
        t->needs[t->need_count++] = from[n];
    }
    return hipSuccess;
}
API hipError_t hipGraphGetNodes(hipGraph_t g, hipGraphNode_t *nodes, size_t *count) {
    CHECK(g && count, hipErrorInvalidValue);
    if (nodes) for (size_t n = 0; n < *count; n++) nodes[n] = n < g->count ? g->nodes[n] : 0;
    if (!nodes || *count > g->count) *count = g->count;
    return hipSuccess;
}
API hipError_t hipGraphGetRootNodes(hipGraph_t g, hipGraphNode_t *nodes, size_t *count) {
    CHECK(g && count, hipErrorInvalidValue);
    size_t found = 0;
    for (u64 n = 0; n < g->count; n++) {
        if (g->nodes[n]->need_count) continue;
        if (nodes && found < *count) nodes[found] = g->nodes[n];
        found++;
    }
    *count = found;
    return hipSuccess;
}
API hipError_t hipGraphNodeGetType(hipGraphNode_t n, hipGraphNodeType *type) {
    static const hipGraphNodeType types[] = {
        [TASK_EMPTY] = hipGraphNodeTypeEmpty, [TASK_LAUNCH] = hipGraphNodeTypeKernel, [TASK_COPY] = hipGraphNodeTypeMemcpy,
        [TASK_FILL] = hipGraphNodeTypeMemset, [TASK_HOST] = hipGraphNodeTypeHost, [TASK_RECORD] = hipGraphNodeTypeEventRecord,
        [TASK_WAIT] = hipGraphNodeTypeWaitEvent, [TASK_GRAPH] = hipGraphNodeTypeGraph, [TASK_ALLOC] = hipGraphNodeTypeMemAlloc,
        [TASK_FREE] = hipGraphNodeTypeMemFree,
    };
    CHECK(n && type, hipErrorInvalidValue);
    *type = types[n->task.kind];
    return hipSuccess;
}
API hipError_t hipGraphNodeSetEnabled(hipGraphExec_t e, hipGraphNode_t n, unsigned enabled) {
    CHECK(twin(e, n), hipErrorInvalidValue);
    twin(e, n)->enabled = enabled != 0;
    return hipSuccess;
}
API hipError_t hipGraphNodeGetEnabled(hipGraphExec_t e, hipGraphNode_t n, unsigned *enabled) {
    CHECK(twin(e, n) && enabled, hipErrorInvalidValue);
    *enabled = (unsigned)twin(e, n)->enabled;
    return hipSuccess;
}

static hipError_t change(Node *n, const Task *task) {
    CHECK(n && n->task.kind == task->kind, hipErrorInvalidValue);
    n->task = *task;
    return hipSuccess;
}
API hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t n, const hipKernelNodeParams *p) {
    Task task = {0};
    TRY(kernel_task(&task, p));
    return change(n, &task);
}
API hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t e, hipGraphNode_t n, const hipKernelNodeParams *p) {
    Task task = {0};
    TRY(kernel_task(&task, p));
    return change(twin(e, n), &task);
}
API hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t n, const hipMemsetParams *p) {
    Task task;
    TRY(fill_task(&task, p));
    return change(n, &task);
}
API hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t e, hipGraphNode_t n, const hipMemsetParams *p) {
    Task task;
    TRY(fill_task(&task, p));
    return change(twin(e, n), &task);
}
API hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t e, hipGraphNode_t n, void *to, const void *from, size_t size, hipMemcpyKind kind) {
    Task task;
    Copy c = plain_copy(to, from, size, kind);
    TRY(copy_task(&task, &c));
    return change(twin(e, n), &task);
}
API hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t n, void *to, const void *from, size_t size, hipMemcpyKind kind) {
    Task task;
    Copy c = plain_copy(to, from, size, kind);
    TRY(copy_task(&task, &c));
    return change(n, &task);
}
API hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t e, hipGraphNode_t n, const hipHostNodeParams *p) {
    CHECK(p && p->fn, hipErrorInvalidValue);
    Task task = {TASK_HOST, .host = {p->fn, p->userData}};
    return change(twin(e, n), &task);
}
