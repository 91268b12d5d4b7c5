// hipFFT's interface: plans, layouts, and transforms in any number of dimensions.
#include "fft.h"

enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { OK, INVALID_PLAN = 1, INVALID_TYPE = 3, INVALID_VALUE = 4, INVALID_SIZE = 8, INCOMPLETE = 10, NOT_SUPPORTED = 16 };
enum { MOST_DIMENSIONS = 3 };
static const uint64_t MARK = 0x7466667772657761;

typedef struct Layout {
    int given;
    I64 embed[MOST_DIMENSIONS], step, distance;
} Layout;
typedef struct Plan {
    uint64_t mark;
    int rank, type, made;
    I64 n[MOST_DIMENSIONS], batch;
    Layout in, out;
    double scale;
    void *stream;
} Plan;

static int is_plan(const Plan *plan) { return plan && plan->mark == MARK; }
static int is_real(int type) { return type == R2C || type == D2Z || type == C2R || type == Z2D; }
static int is_forward_real(int type) { return type == R2C || type == D2Z; }
static int is_double(int type) { return type == Z2Z || type == D2Z || type == Z2D; }

static int make_plan(Plan *plan, int rank, const I64 *n, Layout in, Layout out, int type, I64 batch, size_t *work) {
    if (!is_plan(plan)) return INVALID_PLAN;
    if (type != C2C && type != Z2Z && !is_real(type)) return INVALID_TYPE;
    if (rank < 1 || rank > MOST_DIMENSIONS || !n) return INVALID_VALUE;
    if (batch < 1) return INVALID_SIZE;
    for (int d = 0; d < rank; ++d)
        if (n[d] < 1) return INVALID_SIZE;
    plan->rank = rank, plan->type = type, plan->batch = batch, plan->in = in, plan->out = out;
    for (int d = 0; d < rank; ++d) {
        plan->n[d] = n[d];
        transform_of(n[d]);
    }
    plan->made = 1;
    if (work) *work = 0;
    return OK;
}

// The layout of one side where none was given: dense, and padded where a real array shares its place with its spectrum.
static Layout side(const Plan *plan, const Layout *given, int is_spectrum, int in_place) {
    if (given->given) return *given;
    Layout found = {1, {0}, 1, 1};
    int last = plan->rank - 1;
    for (int d = 0; d < plan->rank; ++d) found.embed[d] = plan->n[d];
    if (is_real(plan->type)) {
        if (is_spectrum) found.embed[last] = plan->n[last] / 2 + 1;
        else if (in_place) found.embed[last] = 2 * (plan->n[last] / 2 + 1);
    }
    for (int d = 0; d < plan->rank; ++d) found.distance *= found.embed[d];
    return found;
}

typedef struct Shape {
    int rank;
    I64 n[MOST_DIMENSIONS], size;
} Shape;

static I64 place(const Layout *layout, const Shape *shape, I64 index) {
    I64 at[MOST_DIMENSIONS], found = 0;
    for (int d = shape->rank - 1; d >= 0; --d) at[d] = index % shape->n[d], index /= shape->n[d];
    for (int d = 0; d < shape->rank; ++d) found = found * (d ? layout->embed[d] : 1) + at[d];
    return found * layout->step;
}

static Z value(const void *data, I64 at, int wide, int real) {
    if (real) return wide ? ((const double *)data)[at] : ((const float *)data)[at];
    return wide ? ((const Z *)data)[at] : (Z)((const float _Complex *)data)[at];
}

static void set_value(void *data, I64 at, int wide, int real, Z v) {
    if (real && wide) ((double *)data)[at] = __real__ v;
    else if (real) ((float *)data)[at] = (float)__real__ v;
    else if (wide) ((Z *)data)[at] = v;
    else ((float _Complex *)data)[at] = (float _Complex)v;
}

// Half a spectrum says the whole: the rest is its conjugate, mirrored in every dimension.
static void complete(const Shape *whole, Z *data) {
    I64 last = whole->n[whole->rank - 1];
    for (I64 i = 0; i < whole->size; ++i) {
        I64 left = i, mirror = 0, size = 1;
        if (i % last <= last / 2) continue;
        for (int d = whole->rank - 1; d >= 0; --d) {
            mirror += (whole->n[d] - left % whole->n[d]) % whole->n[d] * size;
            left /= whole->n[d], size *= whole->n[d];
        }
        data[i] = ~data[mirror];
    }
}

static void all_dimensions(const Shape *whole, Z *data, int sign) {
    I64 step = 1;
    for (int d = whole->rank - 1; d >= 0; step *= whole->n[d--]) {
        const Transform *t = transform_of(whole->n[d]);
        for (I64 block = 0; block < whole->size; block += step * whole->n[d])
            for (I64 i = 0; i < step; ++i) transform(t, data + block + i, step, sign);
    }
}

static int execute(Plan *plan, const void *in, void *out, int type, int sign) {
    if (!is_plan(plan)) return INVALID_PLAN;
    if (!plan->made) return INCOMPLETE;
    if (plan->type != type) return INVALID_TYPE;
    if (!in || !out || (sign != 1 && sign != -1)) return INVALID_VALUE;
    if (is_capturing(plan->stream)) return NOT_SUPPORTED;
    int wide = is_double(type), real_in = is_forward_real(type), real_out = is_real(type) && !real_in;
    Layout from = side(plan, &plan->in, !real_in, in == out), to = side(plan, &plan->out, !real_out, in == out);
    Shape whole = {plan->rank, {0}, 1}, half = {plan->rank, {0}, 1};
    for (int d = 0; d < plan->rank; ++d) {
        whole.n[d] = half.n[d] = plan->n[d];
        if (d == plan->rank - 1 && is_real(type)) half.n[d] = plan->n[d] / 2 + 1;
        whole.size *= whole.n[d], half.size *= half.n[d];
    }
    I64 last = whole.n[plan->rank - 1], short_last = half.n[plan->rank - 1];
    const Shape *read = real_out ? &half : &whole, *written = real_in ? &half : &whole;
    Z *data = room(whole.size * sizeof *data * plan->batch);
    for (I64 b = 0; b < plan->batch; ++b)  // all is read before anything is written: the two may share their place
        for (I64 i = 0; i < read->size; ++i) {
            I64 at = real_out ? i / short_last * last + i % short_last : i;
            data[b * whole.size + at] = value(in, b * from.distance + place(&from, read, i), wide, real_in);
        }
    for (I64 b = 0; b < plan->batch; ++b) {
        Z *one = data + b * whole.size;
        if (real_out) complete(&whole, one);
        all_dimensions(&whole, one, sign);
        for (I64 i = 0; i < written->size; ++i) {
            I64 at = real_in ? i / short_last * last + i % short_last : i;
            set_value(out, b * to.distance + place(&to, written, i), wide, real_out, one[at] * plan->scale);
        }
    }
    free(data);
    return OK;
}

// --- the interface ---------------------------------------------------------------------------

#define COUNTED(name) COUNT("hipFFT", #name)

API int hipfftCreate(Plan **plan) {
    COUNTED(hipfftCreate);
    if (!plan) return INVALID_VALUE;
    *plan = room(sizeof **plan);
    **plan = (Plan){.mark = MARK, .scale = 1};
    return OK;
}
API int hipfftDestroy(Plan *plan) {
    COUNTED(hipfftDestroy);
    if (!is_plan(plan)) return INVALID_PLAN;
    plan->mark = 0;
    free(plan);
    return OK;
}

static Layout layout(int rank, const int *embed, I64 step, I64 distance) {
    Layout found = {embed != NULL, {0}, step, distance};
    for (int d = 0; embed && d < rank && d < MOST_DIMENSIONS; ++d) found.embed[d] = embed[d];
    return found;
}
static Layout wide_layout(int rank, const I64 *embed, I64 step, I64 distance) {
    Layout found = {embed != NULL, {0}, step, distance};
    for (int d = 0; embed && d < rank && d < MOST_DIMENSIONS; ++d) found.embed[d] = embed[d];
    return found;
}
static const Layout DENSE;

API int hipfftMakePlan1d(Plan *plan, int nx, int type, int batch, size_t *work) {
    COUNTED(hipfftMakePlan1d);
    return make_plan(plan, 1, (I64[]){nx}, DENSE, DENSE, type, batch, work);
}
API int hipfftMakePlan2d(Plan *plan, int nx, int ny, int type, size_t *work) {
    COUNTED(hipfftMakePlan2d);
    return make_plan(plan, 2, (I64[]){nx, ny}, DENSE, DENSE, type, 1, work);
}
API int hipfftMakePlan3d(Plan *plan, int nx, int ny, int nz, int type, size_t *work) {
    COUNTED(hipfftMakePlan3d);
    return make_plan(plan, 3, (I64[]){nx, ny, nz}, DENSE, DENSE, type, 1, work);
}
API int hipfftMakePlanMany(Plan *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, int type, int batch, size_t *work) {
    COUNTED(hipfftMakePlanMany);
    I64 sizes[MOST_DIMENSIONS] = {0};
    if (rank < 1 || rank > MOST_DIMENSIONS || !n) return INVALID_VALUE;
    for (int d = 0; d < rank; ++d) sizes[d] = n[d];
    return make_plan(plan, rank, sizes, layout(rank, inembed, istride, idist), layout(rank, onembed, ostride, odist), type, batch, work);
}
API int hipfftMakePlanMany64(Plan *plan, int rank, I64 *n, I64 *inembed, I64 istride, I64 idist, I64 *onembed, I64 ostride, I64 odist, int type, I64 batch, size_t *work) {
    COUNTED(hipfftMakePlanMany64);
    return make_plan(plan, rank, n, wide_layout(rank, inembed, istride, idist), wide_layout(rank, onembed, ostride, odist), type, batch, work);
}

#define CREATED(plan, call) \
    do { \
        int status = hipfftCreate(plan); \
        if (status == OK && (status = (call)) != OK) hipfftDestroy(*(plan)); \
        return status; \
    } while (0)
API int hipfftPlan1d(Plan **plan, int nx, int type, int batch) { CREATED(plan, hipfftMakePlan1d(*plan, nx, type, batch, NULL)); }
API int hipfftPlan2d(Plan **plan, int nx, int ny, int type) { CREATED(plan, hipfftMakePlan2d(*plan, nx, ny, type, NULL)); }
API int hipfftPlan3d(Plan **plan, int nx, int ny, int nz, int type) { CREATED(plan, hipfftMakePlan3d(*plan, nx, ny, nz, type, NULL)); }
API int hipfftPlanMany(Plan **plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, int type, int batch) {
    CREATED(plan, hipfftMakePlanMany(*plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, NULL));
}

API int hipfftExecC2C(Plan *plan, void *in, void *out, int direction) { COUNTED(hipfftExecC2C); return execute(plan, in, out, C2C, direction); }
API int hipfftExecZ2Z(Plan *plan, void *in, void *out, int direction) { COUNTED(hipfftExecZ2Z); return execute(plan, in, out, Z2Z, direction); }
API int hipfftExecR2C(Plan *plan, void *in, void *out) { COUNTED(hipfftExecR2C); return execute(plan, in, out, R2C, -1); }
API int hipfftExecD2Z(Plan *plan, void *in, void *out) { COUNTED(hipfftExecD2Z); return execute(plan, in, out, D2Z, -1); }
API int hipfftExecC2R(Plan *plan, void *in, void *out) { COUNTED(hipfftExecC2R); return execute(plan, in, out, C2R, 1); }
API int hipfftExecZ2D(Plan *plan, void *in, void *out) { COUNTED(hipfftExecZ2D); return execute(plan, in, out, Z2D, 1); }

API int hipfftSetStream(Plan *plan, void *stream) {
    COUNTED(hipfftSetStream);
    if (!is_plan(plan)) return INVALID_PLAN;
    plan->stream = stream;
    return OK;
}
API int hipfftExtPlanScaleFactor(Plan *plan, double factor) {
    COUNTED(hipfftExtPlanScaleFactor);
    if (!is_plan(plan)) return INVALID_PLAN;
    plan->scale = factor;
    return OK;
}
API int hipfftSetAutoAllocation(Plan *plan, int automatic) { return is_plan(plan) ? OK : INVALID_PLAN; }
API int hipfftSetWorkArea(Plan *plan, void *area) { return is_plan(plan) ? OK : INVALID_PLAN; }
API int hipfftGetVersion(int *version) {
    if (!version) return INVALID_VALUE;
    *version = 10018;
    return OK;
}
API int hipfftGetProperty(int which, int *value) {
    if (!value || which < 0 || which > 2) return INVALID_VALUE;
    *value = (int[]){1, 0, 18}[which];
    return OK;
}

// No memory is worked in but the host's own.
static int no_work(size_t *work) {
    if (!work) return INVALID_VALUE;
    *work = 0;
    return OK;
}
API int hipfftEstimate1d(int nx, int type, int batch, size_t *work) { return no_work(work); }
API int hipfftEstimate2d(int nx, int ny, int type, size_t *work) { return no_work(work); }
API int hipfftEstimate3d(int nx, int ny, int nz, int type, size_t *work) { return no_work(work); }
API int hipfftEstimateMany(int rank, int *n, int *a, int b, int c, int *d, int e, int f, int type, int batch, size_t *work) { return no_work(work); }
API int hipfftGetSize1d(Plan *plan, int nx, int type, int batch, size_t *work) { return no_work(work); }
API int hipfftGetSize2d(Plan *plan, int nx, int ny, int type, size_t *work) { return no_work(work); }
API int hipfftGetSize3d(Plan *plan, int nx, int ny, int nz, int type, size_t *work) { return no_work(work); }
API int hipfftGetSizeMany(Plan *plan, int rank, int *n, int *a, int b, int c, int *d, int e, int f, int type, int batch, size_t *work) { return no_work(work); }
API int hipfftGetSizeMany64(Plan *plan, int rank, I64 *n, I64 *a, I64 b, I64 c, I64 *d, I64 e, I64 f, int type, I64 batch, size_t *work) { return no_work(work); }
API int hipfftGetSize(Plan *plan, size_t *work) { return no_work(work); }

#define MISSING(name) API int name(void) { not_made("hipFFT", #name); }
MISSING(hipfftXtMakePlanMany) MISSING(hipfftXtGetSizeMany) MISSING(hipfftXtExec) MISSING(hipfftXtSetCallback)
MISSING(hipfftXtClearCallback) MISSING(hipfftXtSetCallbackSharedSize) MISSING(hipfftXtSetGPUs) MISSING(hipfftXtMalloc)
MISSING(hipfftXtMemcpy) MISSING(hipfftXtFree) MISSING(hipfftXtExecDescriptor) MISSING(hipfftXtExecDescriptorC2C)
MISSING(hipfftXtExecDescriptorR2C) MISSING(hipfftXtExecDescriptorC2R) MISSING(hipfftXtExecDescriptorZ2Z)
MISSING(hipfftXtExecDescriptorD2Z) MISSING(hipfftXtExecDescriptorZ2D)
