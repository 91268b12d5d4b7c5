"""The static level: what a tree that was read again says, and what it must not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewarp.config import Config
from rewarp.translation.support import support_header
from rewarp.verify.model import Check, Evidence, Level, Outcome, overall
from rewarp.verify.static import verify_static

HIP = "#include <hip/hip_runtime.h>\n__global__ void k(float* x) { x[threadIdx.x] += 1; }\n"


def check(root: Path) -> Evidence:
    return verify_static(root, config=Config(), use_cache=False)


def tree(root: Path, **files: str | bytes) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def failures(evidence: Evidence) -> list[tuple[str, int | None, str]]:
    return [(c.path or "", c.line, c.why) for c in evidence.checks if c.outcome is Outcome.FAILED]


def test_a_clean_port_passes(tmp_path: Path) -> None:
    found = check(tree(tmp_path, k_DOT_hip=HIP, m_DOT_py="import torch\nx = torch.zeros(1).cuda()\n"))
    assert failures(found) == []
    assert found.outcome is Outcome.PASSED


def test_cuda_left_in_hip_is_named_with_its_line(tmp_path: Path) -> None:
    text = HIP + "void f(float* p) {\n  cudaFree(p);\n  cudaNoSuchThing(p);\n}\n"
    (found,) = failures(check(tree(tmp_path, k_DOT_hip=text)))
    assert found[:2] == ("k.hip", 4)
    assert "cudaFree" in found[2]
    assert "cudaNoSuchThing" in found[2]


def test_cuda_in_comments_and_nvidia_branches_is_not_left_over(tmp_path: Path) -> None:
    text = (
        HIP + "// cudaFree\n#if defined(__HIP_PLATFORM_AMD__)\nvoid f() {}\n#else\nvoid f() { cudaFree(0); }\n#endif\n"
    )
    assert failures(check(tree(tmp_path, k_DOT_hip=text))) == []


def test_inline_ptx_fails(tmp_path: Path) -> None:
    text = HIP + '__device__ int lane() { int l; asm("mov.u32 %0, %laneid;" : "=r"(l)); return l; }\n'
    assert any("PTX" in why for _, _, why in failures(check(tree(tmp_path, k_DOT_hip=text))))


def test_an_untranslated_tree_fails(tmp_path: Path) -> None:
    text = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n"
    assert check(tree(tmp_path, k_DOT_cu=text)).outcome is Outcome.FAILED


def test_an_original_beside_its_translation_is_set_aside(tmp_path: Path) -> None:
    original = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n"
    found = check(tree(tmp_path, k_DOT_cu=original, k_DOT_hip=HIP))
    assert failures(found) == []
    assert any("k.cu" in c.why for c in found.checks)
    # The same original without a translation is not.
    assert failures(check(tree(tmp_path / "other", k_DOT_cu=original)))


def test_the_support_header_is_not_held_against_the_port(tmp_path: Path) -> None:
    assert failures(check(tree(tmp_path, k_DOT_hip=HIP, rewarp_hip_DOT_h=support_header()))) == []
    # Any other file of that name is read like all others.
    assert failures(check(tree(tmp_path, rewarp_hip_DOT_h="#include <cuda_runtime.h>\nvoid f() { cudaFree(0); }\n")))


def test_what_does_not_parse_fails(tmp_path: Path) -> None:
    found = check(tree(tmp_path, m_DOT_py="import torch\ndef f(:\n  torch.cuda.synchronize()\n", k_DOT_hip=HIP))
    assert [path for path, _, _ in failures(found)] == ["m.py"]


@pytest.mark.parametrize("files", [{}, {"notes_DOT_txt": "nothing"}])
def test_nothing_to_read_is_not_passed(tmp_path: Path, files: dict[str, str]) -> None:
    assert check(tree(tmp_path, **files)).outcome is Outcome.NOT_CHECKED


def test_python_that_breaks_on_amd_fails(tmp_path: Path) -> None:
    found = check(tree(tmp_path, m_DOT_py="import pynvml\npynvml.nvmlInit()\n"))
    assert [path for path, _, _ in failures(found)] != []


def test_overall() -> None:
    def one(outcome: Outcome) -> Check:
        return Check(Level.STATIC, "x", outcome, "because")

    passed, failed, not_checked = map(one, Outcome)
    assert overall([]) is Outcome.NOT_CHECKED
    assert overall([passed]) is Outcome.PASSED
    assert overall([passed, not_checked]) is Outcome.NOT_CHECKED
    assert overall([passed, not_checked, failed]) is Outcome.FAILED
    with pytest.raises(ValueError, match="no reason"):
        Check(Level.STATIC, "x", Outcome.NOT_CHECKED)


def test_a_branch_for_nvidia_beside_one_for_hip_is_no_name_left(tmp_path: Path) -> None:
    text = (
        "#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\nusing stream = hipStream_t;\n#else\n"
        "#include <cuda_runtime.h>\nusing stream = cudaStream_t;\n#endif\n"
    )
    assert failures(check(tree(tmp_path, both_DOT_h=text))) == []
    left = failures(check(tree(tmp_path, both_DOT_h=text + "void f(void* p) { cudaFree(p); }\n")))
    assert ["cudaFree" in why for _, _, why in left] == [True]
