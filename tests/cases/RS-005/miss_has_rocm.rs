#[cfg(feature = "cuda")]
const KERNEL: &[u8] = include_bytes!("kernel.ptx");
#[cfg(feature = "rocm")]
const KERNEL: &[u8] = include_bytes!("kernel.hsaco");
# output
2 info: "kernel.ptx"
