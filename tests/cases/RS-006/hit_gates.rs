#[cfg(feature = "cuda")]
mod cuda_backend;

#[cfg(all(unix, feature = "cuda"))]
fn device() -> Device {
    Device::new_cuda(0).unwrap()
}
# output
1 info: cfg(feature = "cuda"
