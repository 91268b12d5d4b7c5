// No implementation: what tests do is not compared.
fn only_cuda(device: Device) {
    match device {
        Device::Cuda(_) => {}
        _ => panic!("needs cuda"),
    }
}
