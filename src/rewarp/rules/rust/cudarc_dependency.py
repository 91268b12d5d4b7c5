"""RS-001: a crate that depends on cudarc."""

from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.rust._shapes import dependencies, dependency, has_amd_feature
from rewarp.targets import Context


@rule(
    id="RS-001",
    title="A crate depends on cudarc",
    kinds=Kind.CARGO,
    anchors=["cudarc"],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.BUILD,
        why="cudarc binds the CUDA driver and libraries and has no AMD side. With cuda-version-from-build-system its "
        "build script runs nvcc and panics without it; with a fixed version the program stops when it loads libcuda.",
        fix="Put cudarc behind the cuda feature and write a backend on rocm-rs (HIP, rocBLAS, MIOpen, rocRAND) behind "
        "a rocm feature of its own.",
        effort=Effort.REWRITE,
    ),
    example='[dependencies]\ncudarc = { version = "0.19", features = ["driver", "cublas"] }',
    source="https://docs.rs/crate/cudarc/latest",
)
def match(document: TomlFile, context: Context) -> Iterator[Hit]:
    """Looks for cudarc among the dependencies in Cargo.toml."""
    for key in dependencies(document, "cudarc"):
        at = key.path.index("cudarc")
        value = dependency(document, key.path[: at + 1])
        optional = isinstance(value, dict) and value.get("optional") is True
        how = "as an optional dependency: its feature cannot be used on AMD" if optional else "as a dependency"
        yield Hit(key.span, f"cudarc is named {how}", "cudarc", Severity.INFO if has_amd_feature(document) else None)
