use cudarc::nvrtc::{compile_ptx, Ptx};

fn load(dev: &CudaDevice) -> Result<()> {
    dev.load_ptx(Ptx::from_file("kernels/out.ptx"), "m", &["f"])?;
    let module = dev.load_module(Ptx::from_src(SOURCE))?;
    let made = compile_ptx("extern \"C\" __global__ void f() {}")?;
    Ok(())
}
# output
4 build-fail: load_ptx(
4 build-fail: Ptx::from_file
4 build-fail: "kernels/out.ptx"
5 build-fail: Ptx::from_src
6 build-fail: compile_ptx(
