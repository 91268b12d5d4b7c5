"""Folders for vendors that stand side by side."""

from rewarp.project.vendor_folders import for_other_vendors


def test_what_stands_beside_the_targets_folder_is_for_others() -> None:
    paths = ["p/hip/a.hip", "p/cuda/a.cu", "p/cuda/src/b.cu", "p/common/c.cc", "q/cuda/d.cu"]
    found = for_other_vendors(paths, "rocm")
    assert found == dict.fromkeys(["p/cuda/a.cu", "p/cuda/src/b.cu"], "p/hip beside p/cuda is for the target")


def test_underscores_and_other_vendors() -> None:
    paths = ["b/_amd/ops/x.py", "b/_kunlunxin/ops/x.py", "b/_musa_backend/y.py", "b/ops/x.py"]
    assert set(for_other_vendors(paths, "rocm")) == {"b/_kunlunxin/ops/x.py", "b/_musa_backend/y.py"}


def test_gaudi_has_folders_of_its_own() -> None:
    paths = ["b/hpu/x.py", "b/rocm/x.py", "b/cuda/x.py"]
    assert set(for_other_vendors(paths, "gaudi")) == {"b/rocm/x.py", "b/cuda/x.py"}
    assert set(for_other_vendors(paths, "rocm")) == {"b/cuda/x.py", "b/hpu/x.py"}


def test_near_misses() -> None:
    assert for_other_vendors(["p/cuda/a.cu", "p/cpu/a.cc"], "rocm") == {}, "no folder for the target"
    assert for_other_vendors(["hip/a.hip", "p/cuda/a.cu"], "rocm") == {}, "not side by side"
    assert for_other_vendors(["p/hip/a.hip", "p/cuda_utils/a.cu"], "rocm") == {}, "another name"


def test_what_the_targets_build_compiles_is_its_own() -> None:
    paths = ["p/hip/a.hip", "p/cuda/a.cu", "p/cuda/shared.cu"]
    assert for_other_vendors(paths, "rocm", {("p/cuda/shared.cu", "CMakeLists.txt")}) == {}


def test_a_build_file_of_the_folder_itself_is_for_the_other_vendor_too() -> None:
    paths = ["p/HIP/Makefile", "p/CUDA/Makefile", "p/CUDA/a.c", "p/Makefile"]
    assert set(for_other_vendors(paths, "rocm", {("p/CUDA/a.c", "p/CUDA/Makefile")})) == {
        "p/CUDA/Makefile",
        "p/CUDA/a.c",
    }


def test_sources_outside_of_the_tree() -> None:
    paths = ["p/hip/a.hip", "p/cuda/a.cu"]
    assert set(
        for_other_vendors(paths, "rocm", {(path, "Makefile") for path in ("/usr/src/b.cu", "../c.cu", "d.cu")})
    ) == {"p/cuda/a.cu"}
