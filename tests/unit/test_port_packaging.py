"""What the port adds beside requirements, Dockerfiles and workflows: golden cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from port_parts import cases, check, write

from rewarp.lang.requirements import requirement
from rewarp.port import packaging
from rewarp.port.changes import OPTIONAL, PortContext, PortOptions
from rewarp.port.packaging.containers import twin_name as dockerfile_name
from rewarp.port.packaging.images import pinned_against_image, rocm_image
from rewarp.port.packaging.requirements import cannot_be_installed
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
        ("nvidia/cuda:12.4.1-devel-ubuntu22.04", False, "rocm/dev-ubuntu-22.04:6.4.3-complete"),
        ("nvidia/cuda:12.4.1-devel-ubuntu20.04", False, "rocm/dev-ubuntu-22.04:6.4.3-complete"),
        ("nvidia/cuda:12.4.1-devel-rockylinux9", False, "rocm/dev-ubuntu-22.04:6.4.3-complete"),
        (
            "nvidia/cuda:12.4.1-devel-ubuntu22.04",
            True,
            "rocm/pytorch:rocm6.4.3_ubuntu22.04_py3.10_pytorch_release_2.6.0",
        ),
        ("nvcr.io/nvidia/pytorch:25.01-py3", False, "rocm/pytorch:rocm6.4.3_ubuntu24.04_py3.12_pytorch_release_2.6.0"),
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
    found = packaging.run(Tree(tmp_path), PortContext(ROCM, options=PortOptions(wanted=frozenset(OPTIONAL))))
    assert "Dockerfile.rocm" in {change.path for change in found.changes}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("triton==2.1.0", "the image for AMD brings triton 3.2.0"),
        ("torch==2.1.2", "the image for AMD brings torch 2.6.0"),
        ("torch>=2.7", "the image for AMD brings torch 2.6.0"),
        ("torchvision @ https://host/torchvision.whl", "the image for AMD brings torchvision 0.21.0"),
        ("nvidia-cublas-cu12==12.1.3.1", "it is a part of CUDA, of which an image for AMD has no use"),
        ("torch", None),
        ("torch>=2.1,<3", None),
        ("torch==2.6.0", None),
        ('torch==2.1.2; sys_platform == "win32"', None),
        ("nvidia-ml-py", None),
        ("numpy==1.2", None),
    ],
)
def test_pins_that_an_image_for_amd_contradicts(asked: str, why: str | None) -> None:
    item = requirement(asked, None)
    assert item is not None
    assert pinned_against_image(item) == why


@pytest.mark.parametrize(
    ("asked", "lost"),
    [
        ("pandas @ file:///rapids/pandas-1.5.2-cp38.whl", True),
        ("file:///tmp/pillow.whl", True),
        ("-e file:///tmp/pillow", False),  # no AMD matter, and pip says so itself
        ("cugraph==23.2", True),
        ("graphsurgeon", True),
        ("rmm-cu12", True),
        ("pandas==1.5.2", False),
        ("jupyter @ git+https://github.com/o/r.git", False),
        ("# cudf @ file:///rapids/x.whl", False),
        ("cupy-cuda12x", False),
    ],
)
def test_lists_that_no_amd_machine_can_install(asked: str, lost: bool) -> None:
    assert (cannot_be_installed(f"numpy\n{asked}\n".encode()) is not None) is lost
