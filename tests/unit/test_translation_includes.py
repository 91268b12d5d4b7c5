"""Headers: which ones a translated file includes."""

from __future__ import annotations

from rewarp.source import SourceFile
from rewarp.translation.model import Options, Project
from rewarp.translation.translator import translate

RUNTIME = "#include <hip/hip_runtime.h>\n"
PROJECT = Project(files=frozenset({"helper.h", "helper.cu", "main.cpp"}))


def translated(path: str, code: str, project: Project = PROJECT) -> str:
    return translate(SourceFile(path, code.encode()), Options(project=project)).text


def test_a_unit_whose_own_header_may_use_the_runtime_gets_it_first() -> None:
    """nvcc puts the runtime's header before the first line of every .cu file."""
    code = '#include "helper.h"\nint three() { return 3; }\n'
    assert translated("helper.cu", code) == RUNTIME + code
    assert translated("helper.cu", RUNTIME + code) == RUNTIME + code


def test_a_unit_without_any_cuda_stays_as_it_is() -> None:
    code = "#include <vector>\nint three() { return 3; }\n"
    assert translated("helper.cu", code) == code


def test_host_code_does_not_get_what_its_compiler_never_brought() -> None:
    code = '#include "helper.h"\nint three() { return 3; }\n'
    assert translated("main.cpp", code) == code
