#[link(name = "m")]
extern "C" {}

fn main() {
    // println!("cargo:rustc-link-lib=cudart");
    println!("cargo:rustc-link-lib=cudasim");
    println!("cargo:rustc-link-search=/usr/local/cuda/lib64");
    println!("cuda");
}
# output
