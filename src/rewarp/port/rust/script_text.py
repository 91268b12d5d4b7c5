"""The text of the Rust that a kernel crate gets."""

from __future__ import annotations

from collections.abc import Iterable

from rewarp.project.build.build_script import Kernels
from rewarp.translation.shim_text import SHIM_HEADER

MODULE = """\
#[cfg(feature = "rocm")]
#[path = "build_rocm.rs"]
mod build_rocm;

"""
CALL = """
    #[cfg(feature = "rocm")]
    {
        build_rocm::build();
    }
"""
GATED_MAIN = (
    MODULE
    + """\
#[cfg(feature = "rocm")]
fn main() {
    build_rocm::build();
}

#[cfg(not(feature = "rocm"))]
"""
)
OFFERED = """
/// The kernels as code objects for AMD GPUs, by the name of their source.
#[cfg(feature = "rocm")]
pub mod hsaco {
    include!(concat!(env!("OUT_DIR"), "/hsaco.rs"));
}
"""
_SCRIPT = """\
//! Compiles the kernels for AMD GPUs with hipcc, as build.rs does for NVIDIA with nvcc.
//! ROCM_ARCH says for which GPUs (gfx942;gfx1100); without it the GPUs of this machine are asked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Each becomes a code object that is loaded at run time.
const MODULES: &[&str] = &[%(modules)s];
/// These are linked in: a library's name and its sources.
const LIBRARIES: &[(&str, &[&str])] = &[%(libraries)s];
const OPTIONS: &[&str] = &[%(options)s];

pub fn build() {
    println!("cargo:rerun-if-changed=build_rocm.rs");
    for variable in ["ROCM_ARCH", "ROCM_PATH", "HIPCC"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let arches = arches();
    let mut code_objects = String::new();
%(stand_in_start)s    for source in MODULES {
        let name = Path::new(source).file_stem().unwrap().to_str().unwrap();
        let object = out.join(format!("{name}.hsaco"));
        compile(source, &object, &["--genco"], &arches);
        let constant = name.to_uppercase();
        code_objects += &format!("pub const {constant}: &[u8] = include_bytes!({object:?});\\n");
%(stand_in_line)s    }
    fs::write(out.join("hsaco.rs"), code_objects).unwrap();
%(stand_in_end)s    for (library, sources) in LIBRARIES {
        link(library, sources, &out, &arches);
    }
}

fn link(library: &str, sources: &[&str], out: &Path, arches: &[String]) {
    let archive = out.join(format!("lib{library}.a"));
    let _ = fs::remove_file(&archive);
    let mut ar = Command::new("ar");
    ar.arg("crs").arg(&archive);
    for source in sources {
        let object = out.join(source.replace(['/', '\\\\'], "_")).with_extension("o");
        compile(source, &object, &["-c", "-fPIC"], arches);
        ar.arg(object);
    }
    run(&mut ar);
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-lib=static={library}");
    println!("cargo:rustc-link-search={}", rocm().join("lib").display());
    println!("cargo:rustc-link-lib=dylib=amdhip64");
    println!("cargo:rustc-link-lib=dylib=stdc++");
}

fn compile(source: &str, object: &Path, mode: &[&str], arches: &[String]) {
    println!("cargo:rerun-if-changed={source}");
    let mut hipcc = Command::new(env::var_os("HIPCC").map_or_else(|| rocm().join("bin/hipcc"), PathBuf::from));
    hipcc.args(mode).args(OPTIONS);
    hipcc.args(arches.iter().map(|arch| format!("--offload-arch={arch}")));
    hipcc.args(["-x", "hip", source, "-o"]).arg(object);
    run(&mut hipcc);
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?} cannot be run: {error}"));
    assert!(status.success(), "{command:?} failed");
}

fn rocm() -> PathBuf {
    env::var_os("ROCM_PATH").map_or_else(|| PathBuf::from("/opt/rocm"), PathBuf::from)
}

fn arches() -> Vec<String> {
    let given = env::var("ROCM_ARCH").unwrap_or_default();
    let mut found: Vec<String> = given.split([';', ',']).map(|arch| arch.trim().to_string()).collect();
    if given.is_empty() {
        let output = Command::new(rocm().join("bin/rocm_agent_enumerator")).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        found = text.lines().map(|arch| arch.trim().to_string()).collect();
    }
    found.retain(|arch| arch.starts_with("gfx") && arch != "gfx000");
    found.sort();
    found.dedup();
    assert!(!found.is_empty(), "no AMD GPU was found here: say for which to compile, as in ROCM_ARCH=gfx942");
    found
}
"""
_STAND_IN_START = """\
    // PTX is NVIDIA's: the constants are there, so that the crate compiles, and hold nothing.
    let mut no_ptx = String::new();
"""
_STAND_IN_LINE = """\
        no_ptx += &format!("pub const {constant}: &str = \\"\\";\\n");
"""


def build_script(kernels: Kernels, included: str | None, shim: str | None) -> str:
    """build_rocm.rs. ``included`` names the file of PTX constants that the crate includes, if it does."""
    options = [*kernels.options, *(["-I", shim, "-include", SHIM_HEADER] if shim else [])]
    libraries = "".join(f'\n    ("{name}", &[{_listed(paths, 8)}\n    ]),' for name, paths in kernels.libraries.items())
    parts = {
        "modules": _listed(kernels.modules, 4) + ("\n" if kernels.modules else ""),
        "libraries": libraries + ("\n" if libraries else ""),
        "options": ", ".join(f'"{word}"' for word in options),
        "stand_in_start": _STAND_IN_START if included else "",
        "stand_in_line": _STAND_IN_LINE if included else "",
        "stand_in_end": f'    fs::write(out.join("{included}"), no_ptx).unwrap();\n' if included else "",
    }
    text = _SCRIPT
    for name, value in parts.items():
        text = text.replace(f"%({name})s", value)
    return text


def _listed(paths: Iterable[str], indent: int) -> str:
    return "".join(f'\n{" " * indent}"{path}",' for path in paths)
