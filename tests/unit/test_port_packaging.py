"""What the port adds beside requirements, Dockerfiles and workflows: golden cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_parts import cases, check, write

from rewarp.lang.requirements import requirement
from rewarp.port import packaging
from rewarp.port.model import PortContext
from rewarp.port.packaging.containers import rocm_image
from rewarp.port.packaging.containers import twin_name as dockerfile_name
from rewarp.port.packaging.shell_steps import translate_run
from rewarp.port.packaging.twins import for_rocm
from rewarp.port.tree import Tree
from rewarp.targets import ROCM


@pytest.mark.parametrize("case", cases("packaging"), ids=lambda case: case.stem)
def test_case(case: Path, tmp_path: Path) -> None:
    check(case, packaging.run, tmp_path)


@pytest.mark.parametrize(
    ("asked", "installed"),
    [
        ("torch==2.8.0", None),
        ("triton", None),
        ("nvidia-cublas-cu12", None),
        ("cupy-cuda12x>=13", "cupy-rocm-7-0"),
        ("onnxruntime-gpu", "onnxruntime-migraphx"),
        ("onnxruntime", "onnxruntime"),
        ("jax[cuda12]", "jax[rocm7-local]"),
        ("jax[k8s]", "jax[k8s]"),
        ("torchmetrics==1.0", "torchmetrics==1.0"),
        ("numpy", "numpy"),
        ("pkg==1.0+cu128", None),
    ],
)
def test_twins(asked: str, installed: str | None) -> None:
    item = requirement(asked, None)
    assert item is not None
    found = for_rocm(item)
    assert found.text == installed
    assert bool(found.why) == (installed != asked)


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("Dockerfile", "Dockerfile.rocm"),
        ("docker/Dockerfile.cuda", "docker/Dockerfile.rocm"),
        ("docker/app.Dockerfile", "docker/app-rocm.Dockerfile"),
        ("Dockerfile-gpu", "Dockerfile-rocm"),
        ("Dockerfile.prod", "Dockerfile.prod.rocm"),
    ],
)
def test_names_of_dockerfiles(path: str, new: str) -> None:
    assert dockerfile_name(path) == new


@pytest.mark.parametrize(
    ("image", "torch", "new"),
    [
        ("nvidia/cuda:12.4.1-devel-ubuntu22.04", False, "rocm/dev-ubuntu-22.04:latest"),
        ("nvidia/cuda:12.4.1-devel-ubuntu20.04", False, "rocm/dev-ubuntu-24.04:latest"),
        ("nvidia/cuda:12.4.1-devel-rockylinux9", False, "rocm/dev-ubuntu-24.04:latest"),
        ("nvidia/cuda:12.4.1-devel-ubuntu22.04", True, "rocm/pytorch:latest"),
        ("nvcr.io/nvidia/pytorch:25.01-py3", False, "rocm/pytorch:latest"),
    ],
)
def test_images(image: str, torch: bool, new: str) -> None:
    assert rocm_image(image, torch) == new


@pytest.mark.parametrize(
    "step",
    [
        "apt-get update && apt-get install -y git",
        "pip install numpy",
        "echo nvcc is not here",
        "make; make install",
        "bash -c 'a && b'",
    ],
)
def test_steps_that_stay_as_they_are_written(step: str) -> None:
    assert translate_run(f"RUN {step}\n", step, str, set()) == f"RUN {step}\n"


def test_a_step_that_cannot_be_read_is_commented_out() -> None:
    step = "for a in 1 2; do nvidia-smi; done"
    assert translate_run(f"RUN {step}\n", step, str, None).splitlines()[1:] == [f"# RUN {step}"]


def test_a_file_that_is_not_text_is_passed_by(tmp_path: Path) -> None:
    write(tmp_path, {"Dockerfile": "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n"})
    (tmp_path / "requirements.txt").write_bytes(b"\xff\xfet\x00o\x00r\x00c\x00h\x00\n\x00")
    (tmp_path / "pyproject.toml").write_bytes(b"[project\n\x00")
    found = packaging.run(Tree(tmp_path), PortContext(ROCM))
    assert "Dockerfile.rocm" in {change.path for change in found.changes}
