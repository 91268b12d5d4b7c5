// #[cfg(feature = "cuda")]
#[cfg(any(feature = "cuda", feature = "rocm"))]
mod gpu;

const TEXT: &str = "Device::Cuda";
# output
