"""The text of the Rust that a kernel crate gets."""

from __future__ import annotations

from collections.abc import Iterable

from rewarp.project.build.build_script import Kernels
from rewarp.translation.shim_text import SHIM_HEADER

BUILD_SCRIPT = "build_rocm.rs"
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
CALL_FIRST = """
    #[cfg(feature = "rocm")]
    {
        build_rocm::build();
        if !cfg!(feature = "cuda") {
            returnVALUE;
        }
    }
"""
RETURN_FIRST = """
    #[cfg(feature = "rocm")]
    {
        // The kernel for AMD stands in KERNELS.
        if !cfg!(feature = "cuda") {
            returnVALUE;
        }
    }
"""
OFFERED_ATTENTION = """
/// Attention in one kernel for AMD GPUs (hip/attention.hip), as code objects.
#[cfg(feature = "rocm")]
pub use hsaco::ATTENTION;
"""
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
//! Without hipcc the crate builds all the same, and its kernels hold nothing: loading one says so.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Each becomes a code object that is loaded at run time.
const MODULES: &[&str] = &[%(modules)s];
%(libraries)sconst OPTIONS: &[&str] = &[%(options)s];
/// Headers that let hipcc take the CUDA sources as they are.
const ALIASES: &str = "%(aliases)s";

pub fn build() {
    println!("cargo:rerun-if-changed=build_rocm.rs");
    println!("cargo:rerun-if-changed={ALIASES}");
    for variable in ["ROCM_ARCH", "ROCM_PATH", "HIPCC"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let compiler = compiler();
    let mut code_objects = String::new();
%(stand_in_start)s    for source in MODULES {
        println!("cargo:rerun-if-changed={source}");
        let name = Path::new(source).file_stem().unwrap().to_str().unwrap();
        let object = out.join(format!("{name}.hsaco"));
        match &compiler {
            Some(compiler) => compile(compiler, source, &object, &["--genco"]),
            None => fs::write(&object, []).unwrap(),
        }
        let constant = name.to_uppercase();
        code_objects += &format!("pub const {constant}: &[u8] = include_bytes!({object:?});\\n");
%(stand_in_line)s    }
    fs::write(out.join("hsaco.rs"), code_objects).unwrap();
%(stand_in_end)s%(linked)s    if compiler.is_none() {
        println!("cargo:warning=no hipcc was found: the kernels for AMD hold nothing (set HIPCC or ROCM_PATH)");
    }
}

fn compile(compiler: &Path, source: &str, object: &Path, mode: &[&str]) {
    let mut hipcc = Command::new(compiler);
    hipcc.args(mode).args(OPTIONS);
    if !source.ends_with(".hip") {
        hipcc.args(["-I", ALIASES, "-include", "%(header)s"]);
    }
    hipcc.args(arches().iter().map(|arch| format!("--offload-arch={arch}")));
    hipcc.args(["-x", "hip", source, "-o"]).arg(object);
    run(&mut hipcc);
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?} cannot be run: {error}"));
    assert!(status.success(), "{command:?} failed");
}

/// The compiler that was named, which has to be there, or the one of an installation, if there is one.
fn compiler() -> Option<PathBuf> {
    if let Some(named) = env::var_os("HIPCC") {
        return Some(PathBuf::from(named));
    }
    let installed = rocm().join("bin/hipcc");
    installed.exists().then_some(installed)
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
_LIBRARIES = """\
/// These are linked in: a library's name and its sources.
const LIBRARIES: &[(&str, &[&str])] = &[%s
];
"""
_LINKED = """\
    // The libraries for NVIDIA have functions of the same names: where both are asked for, theirs are linked.
    if let (Some(compiler), false) = (&compiler, cfg!(feature = "cuda")) {
        for (library, sources) in LIBRARIES {
            link(compiler, library, sources, &out);
        }
    }
"""
_LINK = """
fn link(compiler: &Path, library: &str, sources: &[&str], out: &Path) {
    let archive = out.join(format!("lib{library}.a"));
    let _ = fs::remove_file(&archive);
    let mut ar = Command::new("ar");
    ar.arg("crs").arg(&archive);
    for source in sources {
        println!("cargo:rerun-if-changed={source}");
        let object = out.join(source.replace(['/', '\\\\'], "_")).with_extension("o");
        compile(compiler, source, &object, &["-c", "-fPIC"]);
        ar.arg(object);
    }
    run(&mut ar);
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-lib=static={library}");
    println!("cargo:rustc-link-search={}", rocm().join("lib").display());
    println!("cargo:rustc-link-lib=dylib=amdhip64");
    println!("cargo:rustc-link-lib=dylib=stdc++");
}
"""
_STAND_IN_START = """\
    // PTX is NVIDIA's: without the feature cuda its constants are there, so that the crate compiles, and hold nothing.
    let mut no_ptx = String::new();
"""
_STAND_IN_LINE = """\
        no_ptx += &format!("pub const {constant}: &str = \\"\\";\\n");
"""
_STAND_IN_UNLESS = """\
        if *source != "%s" {
            no_ptx += &format!("pub const {constant}: &str = \\"\\";\\n");
        }
"""
_STAND_IN_END = """\
    if !cfg!(feature = "cuda") {
        fs::write(out.join("%s"), no_ptx).unwrap();
    }
"""


def build_script(kernels: Kernels, included: str | None, aliases: str, own: str | None = None) -> str:
    """build_rocm.rs. ``included`` names the file of PTX constants that the crate includes, if it does; ``own`` a kernel that is
    AMD's alone."""
    line = _STAND_IN_UNLESS % own if own else _STAND_IN_LINE
    linked = "".join(f'\n    ("{name}", &[{_listed(paths, 8)}\n    ]),' for name, paths in kernels.libraries.items())
    parts = {
        "libraries": _LIBRARIES % linked if linked else "",
        "linked": _LINKED if linked else "",
        "modules": _listed(sorted(kernels.modules), 4) + ("\n" if kernels.modules else ""),
        "options": ", ".join(f'"{word}"' for word in kernels.options),
        "aliases": aliases,
        "header": SHIM_HEADER,
        "stand_in_start": _STAND_IN_START if included else "",
        "stand_in_line": line if included else "",
        "stand_in_end": _STAND_IN_END % included if included else "",
    }
    text = _SCRIPT + (_LINK if linked else "")
    for name, value in parts.items():
        text = text.replace(f"%({name})s", value)
    return text


def _listed(paths: Iterable[str], indent: int) -> str:
    return "".join(f'\n{" " * indent}"{path}",' for path in paths)
