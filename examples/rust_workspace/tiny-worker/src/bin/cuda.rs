//! The worker for NVIDIA GPUs.

fn main() -> tiny_core::Result<()> {
    println!("{:?}", tiny_worker::serve(tiny_worker::Backend::Cuda)?);
    Ok(())
}
