//! FlashAttention's kernels are written with CUTLASS.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=kernels");
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap());
    let library = out.join("libflashattention.a");
    let mut nvcc = Command::new("nvcc");
    nvcc.args(["-lib", "-O3", "-std=c++17", "-Icutlass/include", "-o"]).arg(&library).arg("kernels/flash_api.cu");
    assert!(nvcc.status().unwrap().success(), "nvcc failed");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-lib=flashattention");
}
