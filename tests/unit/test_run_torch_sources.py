"""What an extension says of CUDA's tensors, said of the CPU's."""

from __future__ import annotations

import pytest

from rewarp.run.torch.sources import cuda_operators, for_cpu_tensors


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"TORCH_CHECK(x.is_cuda());", b"TORCH_CHECK(x.is_cpu());"),
        (b"x.type().is_cuda() && p->is_cuda()", b"x.is_cpu() && p->is_cpu()"),
        (b"x.device().is_cuda()", b"x.device().is_cpu()"),
        (b"torch::empty({n}, torch::kCUDA)", b"torch::empty({n}, torch::kCPU)"),
        (b"a.device().type() == at::DeviceType::CUDA", b"a.device().type() == at::DeviceType::CPU"),
        (b"TORCH_LIBRARY_IMPL(ops, CUDA, m) {\n}", b"TORCH_LIBRARY_IMPL(ops, CPU, m) {\n}"),
    ],
)
def test_words(before: bytes, after: bytes) -> None:
    assert for_cpu_tensors(before) == after


@pytest.mark.parametrize(
    "text",
    [
        b"// x.is_cuda() of kCUDA",
        b'TORCH_CHECK(ok, "x.is_cuda() failed: kCUDA");',
        b"bool is_cuda(int kind);",
        b"#ifdef CUDA\nint my_kCUDA = Platform::CUDA;\n#endif",
        b"TORCH_LIBRARY_IMPL(ops, Autograd, m) {}",
    ],
)
def test_what_stays(text: bytes) -> None:
    assert for_cpu_tensors(text) == text


def test_lines_stay_where_they_are() -> None:
    text = b"a.is_cuda(); /* kCUDA\n */ b(kCUDA,\n  c->type().is_cuda());\n"
    assert for_cpu_tensors(text) == b"a.is_cpu(); /* kCUDA\n */ b(kCPU,\n  c->is_cpu());\n"


def test_what_an_operator_has_for_cuda_is_what_runs() -> None:
    for_cuda = b'TORCH_LIBRARY_IMPL(ops, CUDA, m) {\n  m.impl("mul", &mul_cuda);\n  // m.impl("add", &add_cuda);\n}\n'
    for_cpu = b'TORCH_LIBRARY_IMPL(ops, CPU, m) {\n  m.impl("mul", &mul_cpu);\n  m.impl("sub", &sub_cpu);\n}\n'
    others = for_cpu.replace(b"(ops", b"(others")
    operators = cuda_operators([for_cpu, for_cuda, others])
    assert operators == {(b"ops", b"mul")}
    assert for_cpu_tensors(for_cuda, operators) == for_cuda.replace(b"CUDA, m", b"CPU, m")
    assert for_cpu_tensors(for_cpu, operators) == for_cpu.replace(b'm.impl("mul"', b'if (false) m.impl("mul"')
    assert for_cpu_tensors(others, operators) == others


def test_names_of_operators_in_torchs_own_words() -> None:
    text = b'TORCH_LIBRARY_IMPL(vision, CUDA, m) {\n  m.impl(\n    TORCH_SELECTIVE_NAME("vision::nms"),\n    TORCH_FN(nms));\n}'
    assert cuda_operators([text]) == {(b"vision", b"nms")}
