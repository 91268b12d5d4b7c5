use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=src");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let mut constants = String::new();
    for source in ["src/affine.cu", "src/reduce.cu"] {
        let name = PathBuf::from(source)
            .file_stem()
            .unwrap()
            .to_str()
            .unwrap()
            .to_string();
        let ptx = out.join(format!("{name}.ptx"));
        let status = Command::new("nvcc")
            .args(["--ptx", "-O3", "-std=c++17"])
            .arg("-o")
            .arg(&ptx)
            .arg(source)
            .status();
        assert!(status.unwrap().success(), "nvcc failed");
        constants += &format!(
            "pub const {}: &str = include_str!({ptx:?});\n",
            name.to_uppercase()
        );
    }
    fs::write(out.join("ptx.rs"), constants).unwrap();
}
