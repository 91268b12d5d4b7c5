// Copying and filling: one block of rows and slices for all the ways in which HIP says it.
#include "state.h"

Copy plain_copy(void *to, const void *from, u64 size, hipMemcpyKind kind) {
    return (Copy){to, from, size, size, size, size, size, 1, 1, kind};
}

Copy box_copy(const hipMemcpy3DParms *p) {
    u64 tp = p->dstPtr.pitch, ts = tp * p->dstPtr.ysize, fp = p->srcPtr.pitch, fs = fp * p->srcPtr.ysize;
    return (Copy){(u8 *)p->dstPtr.ptr + p->dstPos.z * ts + p->dstPos.y * tp + p->dstPos.x,
                  (const u8 *)p->srcPtr.ptr + p->srcPos.z * fs + p->srcPos.y * fp + p->srcPos.x,
                  tp, ts, fp, fs, p->extent.width, p->extent.height, p->extent.depth, p->kind};
}

static int fits(const void *start, u64 pitch, u64 slice, u64 width, u64 height, u64 depth) {
    Allocation *a = allocation_of(start);
    u64 room = a ? a->size - ((u64)start - a->start) : reserved_behind(start);
    if (!room || !width || !height || !depth) return 1;
    return (depth - 1) * slice + (height - 1) * pitch + width <= room;
}

hipError_t check_copy(const Copy *c) {
    if (!c->width || !c->height || !c->depth) return hipSuccess;
    if (!c->to || !c->from) return hipErrorInvalidValue;
    if ((u32)c->kind > hipMemcpyDefault && c->kind != hipMemcpyDeviceToDeviceNoCU) return hipErrorInvalidMemcpyDirection;
    if (c->height > 1 && (c->to_pitch < c->width || c->from_pitch < c->width)) return hipErrorInvalidPitchValue;
    if (!fits(c->to, c->to_pitch, c->to_slice, c->width, c->height, c->depth)) return hipErrorInvalidValue;
    if (!fits(c->from, c->from_pitch, c->from_slice, c->width, c->height, c->depth)) return hipErrorInvalidValue;
    return hipSuccess;
}

static hipError_t copy(Copy c, hipStream_t stream) {
    TRY(check_copy(&c));
    Task task = {TASK_COPY, .copy = c};
    return said(submit(stream, &task));
}

API hipError_t hipMemcpy(void *to, const void *from, size_t size, hipMemcpyKind kind) { return copy(plain_copy(to, from, size, kind), 0); }
API hipError_t hipMemcpyAsync(void *to, const void *from, size_t size, hipMemcpyKind kind, hipStream_t stream) {
    return copy(plain_copy(to, from, size, kind), stream);
}
API hipError_t hipMemcpyWithStream(void *to, const void *from, size_t size, hipMemcpyKind kind, hipStream_t stream) {
    return copy(plain_copy(to, from, size, kind), stream);
}
API hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size) {
    CHECK(!to_device && !from_device, hipErrorInvalidDevice);
    return copy(plain_copy(to, from, size, hipMemcpyDeviceToDevice), 0);
}
API hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size, hipStream_t stream) {
    CHECK(!to_device && !from_device, hipErrorInvalidDevice);
    return copy(plain_copy(to, from, size, hipMemcpyDeviceToDevice), stream);
}
API hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void *from, size_t size) { return copy(plain_copy(to, from, size, hipMemcpyHostToDevice), 0); }
API hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t size) { return copy(plain_copy(to, from, size, hipMemcpyDeviceToHost), 0); }
API hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t size) { return copy(plain_copy(to, from, size, hipMemcpyDeviceToDevice), 0); }
API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void *from, size_t size, hipStream_t s) { return copy(plain_copy(to, from, size, hipMemcpyHostToDevice), s); }
API hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t size, hipStream_t s) { return copy(plain_copy(to, from, size, hipMemcpyDeviceToHost), s); }
API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t size, hipStream_t s) { return copy(plain_copy(to, from, size, hipMemcpyDeviceToDevice), s); }

static Copy rows(void *to, u64 to_pitch, const void *from, u64 from_pitch, u64 width, u64 height, hipMemcpyKind kind) {
    return (Copy){to, from, to_pitch, to_pitch * height, from_pitch, from_pitch * height, width, height, 1, kind};
}
API hipError_t hipMemcpy2D(void *to, size_t tp, const void *from, size_t fp, size_t width, size_t height, hipMemcpyKind kind) {
    return copy(rows(to, tp, from, fp, width, height, kind), 0);
}
API hipError_t hipMemcpy2DAsync(void *to, size_t tp, const void *from, size_t fp, size_t width, size_t height, hipMemcpyKind kind, hipStream_t s) {
    return copy(rows(to, tp, from, fp, width, height, kind), s);
}

static hipError_t copy_3d(const hipMemcpy3DParms *p, hipStream_t stream) {
    CHECK(p && p->dstPtr.ptr && p->srcPtr.ptr, hipErrorInvalidValue);
    CHECK(!p->srcArray && !p->dstArray, missing("hipMemcpy3D with arrays"));
    return copy(box_copy(p), stream);
}
API hipError_t hipMemcpy3D(const hipMemcpy3DParms *p) { return copy_3d(p, 0); }
API hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *p, hipStream_t stream) { return copy_3d(p, stream); }

static hipError_t copy_driver_2d(const hip_Memcpy2D *p, hipStream_t stream) {
    CHECK(p, hipErrorInvalidValue);
    CHECK(p->srcMemoryType != hipMemoryTypeArray && p->dstMemoryType != hipMemoryTypeArray, missing("hipMemcpyParam2D with arrays"));
    const u8 *from = p->srcMemoryType == hipMemoryTypeHost ? p->srcHost : p->srcDevice;
    u8 *to = p->dstMemoryType == hipMemoryTypeHost ? p->dstHost : p->dstDevice;
    from += p->srcY * p->srcPitch + p->srcXInBytes, to += p->dstY * p->dstPitch + p->dstXInBytes;
    return copy(rows(to, p->dstPitch, from, p->srcPitch, p->WidthInBytes, p->Height, hipMemcpyDefault), stream);
}
API hipError_t hipMemcpyParam2D(const hip_Memcpy2D *p) { return copy_driver_2d(p, 0); }
API hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *p, hipStream_t stream) { return copy_driver_2d(p, stream); }
API hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *p) { return copy_driver_2d(p, 0); }

// --- filling -----------------------------------------------------------------------------------

static hipError_t fill(Fill f, hipStream_t stream) {
    if (!f.width || !f.height || !f.depth) return hipSuccess;
    CHECK(f.to && (allocation_of(f.to) || reserved_behind(f.to)), hipErrorInvalidValue);
    CHECK(fits(f.to, f.pitch, f.slice, f.width * f.size, f.height, f.depth), hipErrorInvalidValue);
    Task task = {TASK_FILL, .fill = f};
    return said(submit(stream, &task));
}
static Fill line(void *to, u64 count, u32 value, u32 size) { return (Fill){to, count * size, count * size, count, 1, 1, value, size}; }

API hipError_t hipMemset(void *to, int value, size_t size) { return fill(line(to, size, (u8)value, 1), 0); }
API hipError_t hipMemsetAsync(void *to, int value, size_t size, hipStream_t s) { return fill(line(to, size, (u8)value, 1), s); }
API hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t n) { return fill(line(to, n, value, 1), 0); }
API hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t n, hipStream_t s) { return fill(line(to, n, value, 1), s); }
API hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t n) { return fill(line(to, n, value, 2), 0); }
API hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t n, hipStream_t s) { return fill(line(to, n, value, 2), s); }
API hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t n) { return fill(line(to, n, (u32)value, 4), 0); }
API hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t n, hipStream_t s) { return fill(line(to, n, (u32)value, 4), s); }
API hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, hipStream_t s) {
    return fill((Fill){to, pitch, pitch * height, width, height, 1, (u8)value, 1}, s);
}
API hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) { return hipMemset2DAsync(to, pitch, value, width, height, 0); }
API hipError_t hipMemset3DAsync(hipPitchedPtr p, int value, struct hipExtent e, hipStream_t s) {
    return fill((Fill){p.ptr, p.pitch, p.pitch * p.ysize, e.width, e.height, e.depth, (u8)value, 1}, s);
}
API hipError_t hipMemset3D(hipPitchedPtr p, int value, struct hipExtent e) { return hipMemset3DAsync(p, value, e, 0); }
