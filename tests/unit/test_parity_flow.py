"""Call flow: from an entry to its kernel launches on both sides, bounded, and said where it was."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from rewarp.cli import main
from rewarp.errors import UsageError
from rewarp.parity.call_graph import Edge
from rewarp.parity.comparing.flow import Flow, Node, flow
from rewarp.report import parity_flow

CUDA = b"""
__global__ void scale_f32(float * x) { x[0] = 1; }
template <typename T> static void launch_scale(T * x) { scale_f32<<<1, 1>>>(x); cudaGetLastError(); }
static void helper(int n) { check(n); }
void cuda_op_scale(ctx & c, tensor * dst) {
    helper(1);
    launch_scale<float>(dst->data);
}
static bool cuda_compute(ctx & c, tensor * dst) {
    switch (dst->op) {
        case MY_OP_SCALE:
            cuda_op_scale(c, dst);
            break;
        default:
            return false;
    }
    return true;
}
void cuda_loop(int n) { if (n) { cuda_loop(n - 1); } }
"""
METAL = b"""
static void get_pipeline_scale(lib * l) { find(l, "kernel_scale_%s"); }
int metal_op_scale(ctx * c, int idx) {
    get_pipeline_scale(c->lib);
    return 1;
}
static int metal_encode(ctx * c, int idx) {
    switch (c->node(idx)->op) {
        case MY_OP_SCALE: { return metal_op_scale(c, idx); }
        default: ABORT("no");
    }
}
"""
FILES = {"src/cuda/ops.cu": CUDA, "src/metal/ops.m": METAL}


def _titles(node: Node | None) -> list[str]:
    return [] if node is None else [node.title, *(title for child in node.children for title in _titles(child))]


def _kernels(node: Node | None) -> list[str]:
    if node is None:
        return []
    return [*(name for name, _ in node.kernels), *(name for child in node.children for name in _kernels(child))]


def test_a_function_and_its_counterpart() -> None:
    found = flow(FILES, "cuda_op_scale", "cuda", "metal")
    assert _titles(found.of_a) == ["cuda_op_scale", "launch_scale"]
    assert _kernels(found.of_a) == ["scale_f32"]
    assert _titles(found.of_b) == ["metal_op_scale", "get_pipeline_scale"]
    assert _kernels(found.of_b) == ["kernel_scale_*"]
    assert found.of_a is not None
    assert found.of_a.other_calls == 1
    launch = found.of_a.children[0]
    assert (launch.call.path, launch.call.line) == ("src/cuda/ops.cu", 7)
    assert launch.edge is Edge.RESOLVED
    assert launch.external == ("cudaGetLastError",)
    assert found.is_complete


@pytest.mark.parametrize("entry", ["MY_OP_SCALE", "scale"])
def test_an_operation_that_a_switch_chooses(entry: str) -> None:
    found = flow(FILES, entry, "cuda", "metal")
    assert _titles(found.of_a)[:2] == ["MY_OP_SCALE", "cuda_op_scale"]
    assert _titles(found.of_b)[:2] == ["MY_OP_SCALE", "metal_op_scale"]


def test_no_counterpart_is_said() -> None:
    found = flow(FILES, "cuda_loop", "cuda", "metal")
    assert found.of_b is None
    assert found.notes == ("no function of metal corresponds to cuda_loop",)
    assert not found.is_complete


def test_what_nothing_is_called() -> None:
    with pytest.raises(UsageError, match=r"near it: .*cuda_op_scale"):
        flow(FILES, "cuda_op_scal", "cuda", "metal")


def test_what_several_are_called() -> None:
    files = {**FILES, "src/cuda/more.cu": b"void cuda_op_scale(int x) { }"}
    with pytest.raises(UsageError, match=r"src/cuda/more\.cu:1.*say which"):
        flow(files, "cuda_op_scale", "cuda", "metal")


def test_bounds_are_said() -> None:
    found = flow(FILES, "cuda_op_scale", "cuda", "metal", depth=1)
    assert found.of_a is not None
    assert _kernels(found.of_a) == ["scale_f32"]
    deep = (
        "".join(f"void cuda_f{i}() {{ cuda_f{i + 1}(); }}\n" for i in range(12)) + "void cuda_f12() { k<<<1,1>>>(); }"
    )
    cut = flow({"cuda/a.cu": deep.encode(), "hip/a.cpp": b"void hip_f0() { }"}, "cuda_f0", "cuda", "rocm", depth=3)
    assert cut.of_a is not None
    last = cut.of_a.children[0].children[0].children[0]
    assert last.note == "1 calls not followed: depth"
    assert not cut.is_complete
    with pytest.raises(UsageError, match="--depth"):
        flow(FILES, "cuda_op_scale", "cuda", "metal", depth=0)


def test_recursion_ends() -> None:
    text = b"void cuda_a() { cuda_b(); k<<<1, 1>>>(); }\nvoid cuda_b() { cuda_a(); k<<<1, 1>>>(); }"
    found = flow({"cuda/a.cu": text}, "cuda_a", "cuda", "rocm").of_a
    assert _titles(found) == ["cuda_a", "cuda_b"]


PYTHON = {
    "pkg/ops.py": b"""
def quant(x):
    if current_platform.is_rocm():
        return hip_path(x)
    return torch.ops._C.quant(x)
def hip_path(x):
    kernel[grid](x)
    return helper(x)
""",
}


def test_python_follows_only_the_platforms_branch() -> None:
    found = flow(PYTHON, "quant", "cuda", "rocm")
    assert _kernels(found.of_a) == ["torch.ops._C.quant"]
    assert _titles(found.of_b) == ["quant", "hip_path"]
    assert "kernel" in _kernels(found.of_b)


def test_views() -> None:
    found = flow(FILES, "cuda_op_scale", "cuda", "metal")
    text = io.StringIO()
    parity_flow.show(found, Console(file=text, width=200))
    assert "launch_scale" in text.getvalue()
    assert "src/cuda/ops.cu:7" in text.getvalue()
    chart = parity_flow.render_mermaid(found)
    assert chart.startswith("flowchart TD\n")
    assert '(["scale_f32"])' in chart
    assert "src/cuda/ops.cu:7" in chart
    document = json.loads(parity_flow.render_json(found))
    assert document["a"]["flow"]["calls"][0]["kernels"][0]["name"] == "scale_f32"


def test_mermaid_takes_any_name() -> None:
    node = Node('operator<"x">', Edge.GUESSED, flow(FILES, "scale", "cuda", "metal").of_a.call, None)  # type: ignore[union-attr]
    chart = parity_flow.render_mermaid(Flow("x", "cuda", "metal", node, None))
    assert 'operator#60;#34;x#34;#62;"]' in chart


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    sides = ["--a", "cuda", "--b", "metal"]
    assert main(["parity", "flow", "cuda_op_scale", str(tmp_path), *sides]) == 0
    assert "scale_f32" in capsys.readouterr().out
    assert main(["parity", "flow", "cuda_loop", str(tmp_path), *sides, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["b"]["flow"] is None
    chart = tmp_path / "flow.mmd"
    assert main(["parity", "flow", "scale", str(tmp_path), *sides, "--mermaid", str(chart)]) == 0
    assert chart.read_text().startswith("flowchart TD")
    assert main(["parity", "flow", "nothing_like_it", str(tmp_path), *sides]) == 2
    assert main(["parity", "flow", "scale", str(tmp_path / "missing"), *sides]) == 2


def _is_chart(text: str) -> bool:
    """Whether every line is one that Mermaid's flow charts have, and every edge joins boxes that are drawn."""
    label = r'"[^"<>\n]*"'
    box = re.compile(rf"(\w+)(\[{label}\]|\(\[{label}\]\))")
    edge = re.compile(rf"(\w+) (==>|-->|-\.->)\|{label}\| (\w+)")
    boxes: set[str] = set()
    edges: set[str] = set()
    lines = [line.strip() for line in text.splitlines()]
    for line in lines[1:]:
        if found := edge.fullmatch(line):
            edges |= {found[1], found[3]}
        elif drawn := box.fullmatch(line):
            boxes.add(drawn[1])
        elif line != "end" and not re.fullmatch(rf"subgraph \w+\[{label}\]", line):
            return False
    return lines[0] == "flowchart TD" and edges <= boxes and lines.count("end") == 2


def test_the_chart_is_mermaid() -> None:
    assert _is_chart(parity_flow.render_mermaid(flow(FILES, "MY_OP_SCALE", "cuda", "metal")))
    assert not _is_chart('flowchart TD\n  a["x"]\n  a --> b\n')


def test_a_launcher_that_is_given_the_kernel_is_the_launch() -> None:
    text = b"""__global__ void scale_f32(float * x) { x[0] = 1; }
    static void launcher(void * k, int n) { cudaLaunchKernelEx(n, k); }
    void cuda_op(int n) { launcher(scale_f32, n); other(); }"""
    found = flow({"cuda/a.cu": text}, "cuda_op", "cuda", "rocm").of_a
    assert found is not None
    assert (_titles(found), _kernels(found)) == (["cuda_op"], ["scale_f32"])


def test_what_was_cut_off_is_not_drawn_beside_what_launches() -> None:
    deep = "".join(f"void cuda_f{i}(int n) {{ cuda_f{i + 1}(n); }}\n" for i in range(12))
    text = f"__global__ void k(int n) {{}}\nvoid cuda_go(int n) {{ k<<<1, 1>>>(n); cuda_f0(n); }}\n{deep}"
    found = flow({"cuda/a.cu": text.encode()}, "cuda_go", "cuda", "rocm", depth=3).of_a
    assert found is not None
    assert _titles(found) == ["cuda_go"]
    assert "not followed to the end" in found.note


def test_a_method_of_a_base_class_means_the_back_ends_own() -> None:
    files = {
        "pkg/base.py": b"class Platform:\n    def name(self): raise NotImplementedError\n",
        "pkg/cuda.py": b"from .base import Platform\nclass CudaBase(Platform):\n    def name(self): raise NotImplementedError\n"
        b"class CudaPlatform(CudaBase):\n    def name(self): return nvml()\n",
        "pkg/rocm.py": b"from .base import Platform\nclass RocmPlatform(Platform):\n    def name(self): return smi()\n",
    }
    found = flow(files, "Platform.name", "cuda", "rocm")
    assert (_titles(found.of_a), _titles(found.of_b)) == (["CudaPlatform.name"], ["RocmPlatform.name"])
    screen = io.StringIO()
    parity_flow.show(found, Console(file=screen, width=100))
    assert "no kernel launch was reached; it calls nvml" in screen.getvalue()
