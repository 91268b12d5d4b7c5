// Streams and events. Each piece of work is done before the call that asks for it comes back, which is one of the orders
// that streams allow.
#include "state.h"

static Stream null_stream;

Stream *stream_of(hipStream_t stream) { return (u64)stream <= 2 ? &null_stream : stream; }

static void do_copy(const Copy *c) {
    for (u64 z = 0; z < c->depth; z++)
        for (u64 y = 0; y < c->height; y++) {
            u8 *to = c->to + z * c->to_slice + y * c->to_pitch;
            const u8 *from = c->from + z * c->from_slice + y * c->from_pitch;
            memmove(to, from, c->width);
            if (settings()->watch) copied(to, from, c->width);
        }
}
static void do_fill(const Fill *f) {
    for (u64 z = 0; z < f->depth; z++)
        for (u64 y = 0; y < f->height; y++) {
            u8 *row = f->to + z * f->slice + y * f->pitch;
            if (settings()->watch) wrote(row, f->width * f->size);
            if (f->size == 1) memset(row, (int)f->value, f->width);
            else
                for (u64 x = 0; x < f->width; x++) memcpy(row + x * f->size, &f->value, f->size);
        }
}

hipError_t perform(const Task *t) {
    switch (t->kind) {
    case TASK_LAUNCH: return launch(&t->launch);
    case TASK_COPY: do_copy(&t->copy); break;
    case TASK_FILL: do_fill(&t->fill); break;
    case TASK_HOST: t->host.call(t->host.given); break;
    case TASK_RECORD: t->event->recorded = 1, t->event->time = now(); break;
    case TASK_GRAPH: return run_graph(t->graph);
    case TASK_ALLOC: return fill_reserved(t->alloc.dptr);
    case TASK_FREE: return release(t->freed, 0, "a graph");
    default: break;
    }
    return hipSuccess;
}

hipError_t submit(hipStream_t stream, const Task *t) {
    Stream *s = stream_of(stream);
    if (!s->graph) return perform(t);
    s->last = add_node(s->graph, t, &s->last, s->last != 0);
    return hipSuccess;
}

API hipError_t hipStreamCreateWithPriority(hipStream_t *made, unsigned flags, int priority) {
    static u64 number;
    CHECK(made && flags <= hipStreamNonBlocking, hipErrorInvalidValue);
    *made = calloc(1, sizeof **made);
    (*made)->flags = flags, (*made)->number = __atomic_add_fetch(&number, 1, 5);
    (*made)->priority = priority < -1 ? -1 : priority > 1 ? 1 : priority;
    return hipSuccess;
}
API hipError_t hipStreamCreateWithFlags(hipStream_t *made, unsigned flags) { return hipStreamCreateWithPriority(made, flags, 0); }
API hipError_t hipStreamCreate(hipStream_t *made) { return hipStreamCreateWithPriority(made, 0, 0); }
API hipError_t hipExtStreamCreateWithCUMask(hipStream_t *made, uint32_t size, const uint32_t *mask) { return hipStreamCreate(made); }
API hipError_t hipStreamDestroy(hipStream_t stream) {
    CHECK((u64)stream > 2, hipErrorInvalidHandle);
    free(stream);
    return hipSuccess;
}
static hipError_t waited(hipStream_t stream) { return said(stream_of(stream)->graph ? hipErrorStreamCaptureUnsupported : hipSuccess); }
API hipError_t hipStreamSynchronize(hipStream_t stream) { return waited(stream); }
API hipError_t hipStreamQuery(hipStream_t stream) { return waited(stream); }
API hipError_t hipDeviceSynchronize(void) { return hipSuccess; }
API hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags) { *flags = stream_of(stream)->flags; return hipSuccess; }
API hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) { *priority = stream_of(stream)->priority; return hipSuccess; }
API hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device) { *device = 0; return hipSuccess; }
API int hipGetStreamDeviceId(hipStream_t stream) { return 0; }

API hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t call, void *given) {
    CHECK(call, hipErrorInvalidValue);
    Task t = {TASK_HOST, .host = {call, given}};
    return said(submit(stream, &t));
}
API hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t call, void *given, unsigned flags) {
    CHECK(call && !flags, hipErrorInvalidValue);
    CHECK(!stream_of(stream)->graph, hipErrorStreamCaptureUnsupported);
    call(stream, hipSuccess, given);
    return hipSuccess;
}

static hipError_t write_value(void *to, u64 value, u32 size) {
    if (!to) return said(hipErrorInvalidValue);
    memcpy(to, &value, size);
    wrote(to, size);
    return hipSuccess;
}
API hipError_t hipStreamWriteValue32(hipStream_t s, void *to, uint32_t value, unsigned flags) { return write_value(to, value, 4); }
API hipError_t hipStreamWriteValue64(hipStream_t s, void *to, uint64_t value, unsigned flags) { return write_value(to, value, 8); }

// --- events ------------------------------------------------------------------------------------

API hipError_t hipEventCreateWithFlags(hipEvent_t *made, unsigned flags) {
    CHECK(made, hipErrorInvalidValue);
    *made = calloc(1, sizeof **made);
    (*made)->flags = flags;
    return hipSuccess;
}
API hipError_t hipEventCreate(hipEvent_t *made) { return hipEventCreateWithFlags(made, 0); }
API hipError_t hipEventDestroy(hipEvent_t event) {
    CHECK(event, hipErrorInvalidHandle);
    free(event);
    return hipSuccess;
}
API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    CHECK(event, hipErrorInvalidHandle);
    Stream *s = stream_of(stream);
    if (s->graph) {
        event->graph = s->graph, event->node = s->last, event->stream = s;
        return hipSuccess;
    }
    event->graph = 0, event->recorded = 1, event->time = now();
    return hipSuccess;
}
API hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags) { return hipEventRecord(event, stream); }
API hipError_t hipEventSynchronize(hipEvent_t event) {
    CHECK(event, hipErrorInvalidHandle);
    return said(event->graph ? hipErrorCapturedEvent : hipSuccess);
}
API hipError_t hipEventQuery(hipEvent_t event) { return hipEventSynchronize(event); }
API hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
    CHECK(ms, hipErrorInvalidValue);
    CHECK(start && stop && start->recorded && stop->recorded, hipErrorInvalidHandle);
    CHECK(!((start->flags | stop->flags) & hipEventDisableTiming), hipErrorInvalidHandle);
    *ms = (float)((stop->time - start->time) * 1e3);
    return hipSuccess;
}
// A stream that waits for what another captured takes part in its graph.
API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
    CHECK(event, hipErrorInvalidHandle);
    Stream *s = stream_of(stream);
    if (!event->graph) return hipSuccess;
    CHECK(s != &null_stream, hipErrorStreamCaptureImplicit);
    CHECK(!s->graph || s->graph == event->graph, hipErrorStreamCaptureMerge);
    if (!s->graph) s->graph = event->graph, s->capture = hipStreamCaptureStatusActive, s->origin = event->stream->origin ? event->stream->origin : event->stream;
    Node *needs[2] = {s->last, event->node};
    Task join = {TASK_EMPTY};
    if (s->last && event->node && s->last != event->node) s->last = add_node(s->graph, &join, needs, 2);
    else if (event->node) s->last = event->node;
    return hipSuccess;
}

// --- capturing ---------------------------------------------------------------------------------

API hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
    Stream *s = stream_of(stream);
    CHECK(s != &null_stream, hipErrorStreamCaptureUnsupported);
    CHECK(!s->graph, hipErrorIllegalState);
    TRY(hipGraphCreate(&s->graph, 0));
    s->capture = hipStreamCaptureStatusActive, s->last = 0, s->origin = 0;
    return hipSuccess;
}
API hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
    Stream *s = stream_of(stream);
    CHECK(graph, hipErrorInvalidValue);
    CHECK(s->graph, hipErrorIllegalState);
    CHECK(!s->origin, hipErrorStreamCaptureUnmatched);
    *graph = s->graph;
    s->graph = 0, s->last = 0, s->capture = hipStreamCaptureStatusNone;
    return hipSuccess;
}
API hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
    CHECK(status, hipErrorInvalidValue);
    *status = stream_of(stream)->graph ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
    return hipSuccess;
}
API hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id) {
    TRY(hipStreamIsCapturing(stream, status));
    if (id) *id = (u64)stream_of(stream)->graph;
    return hipSuccess;
}
API hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id, hipGraph_t *graph, const hipGraphNode_t **needs, size_t *count) {
    TRY(hipStreamGetCaptureInfo(stream, status, id));
    Stream *s = stream_of(stream);
    if (graph) *graph = s->graph;
    if (needs) *needs = &s->last;
    if (count) *count = s->last != 0;
    return hipSuccess;
}
API hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
    static __thread hipStreamCaptureMode kept = hipStreamCaptureModeGlobal;
    CHECK(mode, hipErrorInvalidValue);
    hipStreamCaptureMode before = kept;
    kept = *mode, *mode = before;
    return hipSuccess;
}
