use bindgen_cuda::Builder;

fn main() {
    let home = std::env::var("CUDA_HOME").unwrap();
    bindgen_cuda::Builder::default().build_ptx().unwrap();
    cc::Build::new().cuda(true).file("kernel.cu").compile("kernel");
    std::process::Command::new("nvcc").arg("--version").status().unwrap();
    println!("{home}");
}
# output
1 build-fail: bindgen_cuda::
4 info: "CUDA_HOME"
6 build-fail: .cuda(true)
7 build-fail: "nvcc"
