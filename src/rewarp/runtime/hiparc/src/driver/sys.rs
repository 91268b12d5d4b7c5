//! The functions of libamdhip64 that are used here.
#![allow(non_camel_case_types, non_upper_case_globals)]

use std::ffi::{c_char, c_void};

pub type hipDevice_t = i32;
pub type hipDeviceptr_t = u64;
pub type hipStream_t = *mut ihipStream_t;
pub type hipEvent_t = *mut c_void;
pub type hipModule_t = *mut c_void;
pub type hipFunction_t = *mut c_void;
#[repr(C)]
#[derive(Debug)]
pub struct ihipStream_t([u8; 0]);
/// The stream that each thread has for itself.
pub const hipStreamPerThread: hipStream_t = 2 as hipStream_t;
pub const hipStreamNonBlocking: u32 = 1;
pub const hipEventDisableTiming: u32 = 2;

#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct hipStreamCaptureStatus(pub i32);

impl hipStreamCaptureStatus {
    pub const hipStreamCaptureStatusNone: Self = Self(0);
    pub const hipStreamCaptureStatusActive: Self = Self(1);
}

#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct hipDeviceAttribute_t(pub i32);

functions! {
    HIP = if cfg!(windows) {
        &["amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"]
    } else {
        &["libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6"]
    };
    fn hipInit(flags: u32) -> i32;
    fn hipGetErrorName(error: i32) -> *const c_char;
    fn hipGetDeviceCount(count: *mut i32) -> i32;
    fn hipGetDevice(device: *mut i32) -> i32;
    fn hipSetDevice(device: i32) -> i32;
    fn hipDeviceGetName(name: *mut c_char, size: i32, device: hipDevice_t) -> i32;
    fn hipDeviceGetAttribute(value: *mut i32, attribute: hipDeviceAttribute_t, device: hipDevice_t) -> i32;
    fn hipDeviceSynchronize() -> i32;
    fn hipMemGetInfo(free: *mut usize, total: *mut usize) -> i32;
    fn hipStreamCreateWithFlags(stream: *mut hipStream_t, flags: u32) -> i32;
    fn hipStreamDestroy(stream: hipStream_t) -> i32;
    fn hipStreamSynchronize(stream: hipStream_t) -> i32;
    fn hipStreamIsCapturing(stream: hipStream_t, status: *mut hipStreamCaptureStatus) -> i32;
    fn hipStreamWaitEvent(stream: hipStream_t, event: hipEvent_t, flags: u32) -> i32;
    fn hipEventCreateWithFlags(event: *mut hipEvent_t, flags: u32) -> i32;
    fn hipEventRecord(event: hipEvent_t, stream: hipStream_t) -> i32;
    fn hipEventSynchronize(event: hipEvent_t) -> i32;
    fn hipEventElapsedTime(milliseconds: *mut f32, start: hipEvent_t, end: hipEvent_t) -> i32;
    fn hipEventDestroy(event: hipEvent_t) -> i32;
    fn hipMalloc(pointer: *mut hipDeviceptr_t, size: usize) -> i32;
    fn hipFree(pointer: hipDeviceptr_t) -> i32;
    fn hipMallocAsync(pointer: *mut hipDeviceptr_t, size: usize, stream: hipStream_t) -> i32;
    fn hipFreeAsync(pointer: hipDeviceptr_t, stream: hipStream_t) -> i32;
    fn hipMemsetAsync(pointer: hipDeviceptr_t, value: i32, size: usize, stream: hipStream_t) -> i32;
    fn hipMemcpyHtoDAsync(to: hipDeviceptr_t, from: *const c_void, size: usize, stream: hipStream_t) -> i32;
    fn hipMemcpyDtoHAsync(to: *mut c_void, from: hipDeviceptr_t, size: usize, stream: hipStream_t) -> i32;
    fn hipMemcpyDtoDAsync(to: hipDeviceptr_t, from: hipDeviceptr_t, size: usize, stream: hipStream_t) -> i32;
    fn hipModuleLoadData(module: *mut hipModule_t, image: *const c_void) -> i32;
    fn hipModuleUnload(module: hipModule_t) -> i32;
    fn hipModuleGetFunction(function: *mut hipFunction_t, module: hipModule_t, name: *const c_char) -> i32;
    fn hipModuleLaunchKernel(
        function: hipFunction_t,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared: u32, stream: hipStream_t, arguments: *mut *mut c_void, extra: *mut *mut c_void,
    ) -> i32;
}
use crate::loading::functions;
