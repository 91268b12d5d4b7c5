fn name(device: &Device) -> &'static str {
    match device {
        Device::Cpu => "cpu",
        Device::Cuda(_) => "cuda",
        Device::Metal(_) => "metal",
    }
}

fn gpu() -> bool {
    cfg!(feature = "cuda")
}
# output
4 info: Device::Cuda
