fn main() {
    println!("cargo:rustc-link-lib=dylib=cudart");
    println!("cargo::rustc-link-lib=static=cublas_static");
    println!("cargo:rustc-link-lib=cuda");
    println!("cargo:rustc-link-arg=-lnvrtc");
    println!("cargo:rustc-link-lib=stdc++");
}
# output
2 build-fail: "cargo:rustc-link-lib=dylib=cudart"
3 build-fail: "cargo::rustc-link-lib=static=cublas_static"
4 build-fail: "cargo:rustc-link-lib=cuda"
5 build-fail: "cargo:rustc-link-arg=-lnvrtc"
