"""Why nothing is expected in the place of a line of HIPIFY's tests, as questions to the translation: an excuse that does not
hold is a miss."""

from __future__ import annotations

import re
from collections.abc import Callable

from rewarp.tables import cuda
from rewarp.translation.changes import Translation

Excuse = Callable[[Translation, str], bool]
"""Whether the reason holds: for a translation, and the text that HIPIFY's test expects."""
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_OF_HIPDNN = re.compile(r"\b(?:hip|HIP)(?=dnn|DNN)\w+")


def told(*names: str) -> Excuse:
    """The translation says of one of these names that it has no twin."""
    return lambda done, text: bool(_left(done) & set(names))


def told_with_its_branch(done: Translation, text: str) -> bool:
    """The branch that the line stands in is told of as code that AMD gets nothing for."""
    name = text.split("=")[0].split()[-1]
    at = done.source.view.find(b" " + name.encode() + b" =", done.source.view.find(text.encode()))
    opened = [problem.where.start for problem in done.problems if "AMD gets nothing for this code" in problem.message]
    return any(0 <= start < at and b"#endif" not in done.source.view[start:at] for start in opened)


def translated_or_told(done: Translation, text: str) -> bool:
    """Each name of hipDNN stands for one of cuDNN's that became MIOpen's, or is told of."""
    if "hipDNN.h" in text:
        return "miopen/miopen.h" in done.text or "cudnn.h" in _left(done)
    names = [re.sub("^HIP", "CU", re.sub("^hip", "cu", name)) for name in _OF_HIPDNN.findall(text)]
    return bool(names) and all(name in _left(done) or _became_its_twin(done, name) for name in names)


def _became_its_twin(done: Translation, name: str) -> bool:
    twin = cuda.twin(name.encode())
    return bool(
        twin and twin.hip and twin.hip in done.text and not re.search(rf"^(?!\s*//).*\b{name}\b", done.text, re.M)
    )


def needs_no_runtime(done: Translation, text: str) -> bool:
    """No CUDA in the file, or a header of HIP's that brings the runtime."""
    code = re.sub(r"//[^\n]*", "", done.text)
    return "#include <hip/" in code or not re.search(r"__global__|<<<|\bhip[A-Z]\w*\s*\(", code)


def string_stays(done: Translation, text: str) -> bool:
    """The source's own string, in which HIPIFY renames, is in the result as it was."""
    source = done.source.view.decode("utf-8", "replace")
    kept = set(_STRING.findall(source)) & set(_STRING.findall(done.text))
    spoken = [
        re.sub(r"\bhip(?=[A-Z])", "cuda", said).replace("hipsparse", "cusparse") for said in _STRING.findall(text)
    ]
    return bool(spoken) and all(said in kept for said in spoken)


def launched(done: Translation, text: str) -> bool:
    """The launch that HIPIFY leaves is a launch of HIP's."""
    found = re.search(r"(\w+)\s*<<<\s*(\w+)\s*,\s*(\w+)\s*>>>", text)
    if not found:
        return False
    kernel, grid, block = found.groups()
    return re.search(rf"hipLaunchKernelGGL\({kernel}, dim3\({grid}\), dim3\({block}\)", done.text) is not None


def launched_in_macro(done: Translation, text: str) -> bool:
    return re.search(r"#define[^\n]*(?:\\\n[^\n]*)*hipLaunchKernelGGL", done.text) is not None


def half_a_launch(done: Translation, text: str) -> bool:
    return "<<<" in done.text and any("was left as <<<>>>" in problem.message for problem in done.problems)


def renamed_and_told(done: Translation, text: str) -> bool:
    return "hipblasSscal" in done.text and bool(_left(done) & {"cublasInit", "cublas.h"})


def skipped(done: Translation, text: str) -> bool:
    """The line stands in a branch that the result does not take."""
    name = re.search(r"hip\w+_\w+", text)
    before = done.text.partition(name[0])[0] if name else ""
    return (
        re.search(r"#\s*(?:el)?if 0 [^\n]*CUDA_VERSION[^\n]*\n(?:(?!\s*#\s*(?:endif|else|elif)).*\n)*.*\Z", before)
        is not None
    )


def _left(done: Translation) -> set[str]:
    return {problem.symbol for problem in done.problems if problem.kind in ("unsupported", "unknown")}
