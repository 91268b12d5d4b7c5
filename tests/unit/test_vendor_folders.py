"""Folders for vendors that stand side by side."""

from rewarp.project.vendor_folders import for_other_vendors, twin_files


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


def test_a_port_in_sycl_is_the_targets_where_its_build_has_a_way_there() -> None:
    paths = ["CUDA/app/a.cu", "CUDA/Makefile", "SYCL/app/a.cpp", "SYCL/app/Makefile"]
    assert set(for_other_vendors(paths, "rocm", building={"SYCL/app/Makefile"})) == {"CUDA/app/a.cu", "CUDA/Makefile"}
    assert for_other_vendors(paths, "rocm") == {}, "nothing says whose GPUs it is for"
    assert for_other_vendors(paths, "rocm", building={"CUDA/Makefile", "Makefile"}) == {}, "another folder's build"


def test_files_with_a_twin_beside_them() -> None:
    paths = ["b/cuda.hpp", "b/hip.hpp", "r/cusparse_ilu0.hpp", "r/rocsparse_ilu0.hpp", "k/sum_cuda.cu", "k/sum_hip.cu"]
    found = twin_files(paths, "rocm")
    assert {path: twin for path, (twin, _) in found.items()} == {
        "b/cuda.hpp": "b/hip.hpp",
        "r/cusparse_ilu0.hpp": "r/rocsparse_ilu0.hpp",
        "k/sum_cuda.cu": "k/sum_hip.cu",
    }
    assert found["b/cuda.hpp"][1] == "b/hip.hpp beside it is for the target"
    assert twin_files(paths, "gaudi") == {}


def test_files_without_a_twin() -> None:
    assert twin_files(["b/cuda.hpp", "c/hip.hpp"], "rocm") == {}, "another folder"
    assert twin_files(["b/cuda_sum.cu", "b/hip_mul.cu"], "rocm") == {}, "another name"
    assert twin_files(["b/cusp.hpp", "b/rocsp.hpp", "b/barracuda.hpp", "b/barrahip.hpp"], "rocm") == {}, (
        "no vendor's word"
    )
    assert twin_files(["b/cuda.py", "b/hip.py"], "rocm") == {}, "modules have gates of their own"
