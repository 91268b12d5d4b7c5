//! HIP, rocBLAS, rocRAND and hiprtc for Rust, in the shape of cudarc.
//!
//! A back end written on cudarc becomes one for AMD GPUs by renaming: `cudarc::driver::CudaSlice` is
//! `hiparc::driver::HipSlice`, `cudarc::cublas::CudaBlas` is `hiparc::rocblas::RocBlas`, and so on. Nothing of ROCm is
//! needed to build: each library is looked for when its first function is called, and one that is not there, or that
//! lacks a function, is an error that names it.

pub mod attention;
pub mod driver;
pub mod hiprtc;
mod loading;
pub mod rocblas;
pub mod rocrand;

pub use loading::Missing;
