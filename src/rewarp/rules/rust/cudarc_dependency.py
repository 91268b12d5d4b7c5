"""RS-001: a crate that depends on bindings to CUDA."""

from collections.abc import Iterator

from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.project.crates import has_amd_feature
from rewarp.registry import Hit, Impact, rule
from rewarp.rules.shapes.rust import CRATES, declared
from rewarp.targets import Context


@rule(
    id="RS-001",
    title="A crate depends on cudarc or other CUDA bindings",
    kinds=Kind.CARGO,
    anchors=[name.partition("-")[0] for name in CRATES],
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.BUILD,
        why="cudarc and its kin bind the CUDA driver and libraries and have no AMD side. With cuda-version-from-build-system "
        "cudarc's build script runs nvcc and panics without it; with a fixed version the program stops when it loads libcuda.",
        fix="Put the crate behind the cuda feature and write a backend on rocm-rs (HIP, rocBLAS, MIOpen, rocRAND) behind "
        "a rocm feature of its own.",
        effort=Effort.HOURS,
    ),
    example='[dependencies]\ncudarc = { version = "0.19", features = ["driver", "cublas"] }',
    source="https://docs.rs/crate/cudarc/latest",
)
def match(document: TomlFile, context: Context) -> Iterator[Hit]:
    """Looks for cudarc and other crates that bind CUDA among the dependencies in Cargo.toml."""
    for key, crate, value in declared(document):
        if crate not in CRATES:
            continue
        optional = isinstance(value, dict) and value.get("optional") is True
        how = "as an optional dependency: its feature cannot be used on AMD" if optional else "as a dependency"
        instead = f"; AMD has {CRATES[crate]}" if CRATES[crate] and crate != "cudarc" else ""
        severity = Severity.INFO if has_amd_feature(document) else None
        yield Hit(key.span, f"{crate} is named {how}{instead}", crate, severity)
