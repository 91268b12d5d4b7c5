//! Scales a vector on the GPU: the smallest use of the kernels' runtime from Rust.

#[cfg(feature = "cuda")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
    use cudarc::nvrtc::compile_ptx;

    const SCALE: &str = r#"
extern "C" __global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}
"#;
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let module = context.load_module(compile_ptx(SCALE)?)?;
    let kernel = module.load_function("scale")?;

    let mut x = stream.clone_htod(&[1.0f32, 2.0, 3.0])?;
    let count = 3i32;
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&mut x).arg(&count);
    unsafe { launch.launch(LaunchConfig::for_num_elems(3)) }?;
    println!("{}: {:?}", context.name()?, stream.clone_dtoh(&x)?);
    Ok(())
}

#[cfg(not(feature = "cuda"))]
fn main() {
    println!("built without the cuda feature");
}
