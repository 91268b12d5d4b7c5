fn main() -> tiny_core::Result<()> {
    println!("{:?}", tiny_worker::serve(tiny_worker::Backend::Cpu)?);
    Ok(())
}
