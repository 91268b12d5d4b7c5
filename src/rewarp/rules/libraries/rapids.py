"""LIB-015: RAPIDS."""

from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.kinds import PYTHON_KINDS
from rewarp.lang.python import PythonFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.import_fixes import NVIDIA_ONLY
from rewarp.rules.shapes.libraries import imports_of
from rewarp.targets import Context

_PACKAGES = ("cudf", "cuml", "cugraph", "rmm", "dask_cuda", "dask_cudf", "cuspatial", "cuvs", "pylibraft", "cucim")


@rule(
    id="LIB-015",
    title="A RAPIDS library is imported",
    kinds=PYTHON_KINDS,
    anchors=_PACKAGES,
    phase=Phase.LIBRARIES,
    rocm=Impact(
        Severity.CRASH,
        why="The RAPIDS packages are built for CUDA only. AMD ports a part of them as ROCm-DS, under other "
        "package names.",
        fix="Use pandas, scikit-learn or networkx on ROCm, or the ROCm-DS port where there is one.",
        safety=Safety.NONE,
        effort=Effort.HOURS,
    ),
    example="import cudf",
    source="https://github.com/ROCm",
    fix=NVIDIA_ONLY,
    traits=[Trait.NOTHING_INSTEAD],
)
def match(document: PythonFile, context: Context) -> Iterator[Hit]:
    """Looks for imports of cudf, cuml, cugraph, rmm, dask_cuda and other RAPIDS packages."""
    yield from imports_of(document, *_PACKAGES)
