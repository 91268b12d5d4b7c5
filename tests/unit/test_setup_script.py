"""What setup.py compiles on each platform, read without running it, and held against running it."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

from rewarp.project.build.setup_script import SetupBuild, read_setup
from rewarp.project.gates import NVIDIA, ROCM, Platform
from rewarp.project.modules import PythonModules
from rewarp.workspace import Folder

_IMPORTS = """
import glob, os, sys
from pathlib import Path
import torch
from setuptools import Extension, find_packages, setup
from torch.utils.cpp_extension import CUDA_HOME, IS_HIP_EXTENSION, ROCM_HOME, BuildExtension, CppExtension, CUDAExtension
"""
_SOURCES = ("csrc/a.cpp", "csrc/b.cu", "csrc/cuda/c.cu", "csrc/cuda/deep/d.cu", "csrc/hip/e.hip", "csrc/f.c")


def _project(folder: Path, text: str, **files: str) -> Path:
    for source in _SOURCES:
        (folder / source).parent.mkdir(parents=True, exist_ok=True)
        (folder / source).touch()
    for name, content in files.items():
        file = folder / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_suffix(".py").write_text(textwrap.dedent(content))
    (folder / "setup.py").write_text(_IMPORTS + textwrap.dedent(text))
    return folder


def _read(folder: Path, platform: Platform) -> SetupBuild:
    return read_setup(Folder(folder), "setup.py", platform)


def _sources(build: SetupBuild) -> dict[str, tuple[str, ...]]:
    return {unit.source: unit.conditions for unit in build.units}


def _agreement() -> ModuleType:
    file = Path(__file__).parents[2] / "benchmarks" / "setup_agreement.py"
    spec = importlib.util.spec_from_file_location("setup_agreement", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["setup_agreement"] = module
    spec.loader.exec_module(module)
    return module


SCRIPTS = {
    "lists": """
        sources = ["csrc/a.cpp"]
        sources += glob.glob("csrc/*.cu")
        if not IS_HIP_EXTENSION:
            sources.extend(sorted(glob.glob(os.path.join("csrc", "cuda", "**", "*.cu"), recursive=True)))
        else:
            sources.append("csrc/hip/e.hip")
        setup(ext_modules=[CUDAExtension("m._C", sources)])
        """,
    "functions": """
        HERE = Path(__file__).resolve().parent
        def flags(debug=False):
            return ["-O0"] if debug else ["-O3", "-DFAST"]
        def is_rocm():
            return torch.version.hip is not None
        def extensions():
            if not torch.cuda.is_available() or (CUDA_HOME is None and not is_rocm()):
                return []
            macros = [("WITH_HIP" if is_rocm() else "WITH_CUDA", None), ("N", 3)]
            found = [str(p.relative_to(HERE)) for p in (HERE / "csrc").rglob("*.cu") if "deep" not in p.parts]
            args = {"cxx": flags(), "nvcc": flags() + (["-DHIP"] if is_rocm() else [])}
            return [CUDAExtension(name="m._C", sources=found, define_macros=macros, extra_compile_args=args)]
        setup(ext_modules=extensions(), cmdclass={"build_ext": BuildExtension})
        """,
    "environment": """
        DEBUG = os.environ.get("DEBUG", "0") == "1"
        jobs = os.getenv("JOBS") or "4"
        extension = CUDAExtension if torch.version.cuda else CppExtension
        kept = [s for s in glob.glob("csrc/**/*", recursive=True) if s.endswith((".cpp", ".cu")) and "deep" not in s]
        if "--no-gpu" in sys.argv:
            kept = [s for s in kept if not s.endswith(".cu")]
            sys.argv.remove("--no-gpu")
        setup(ext_modules=[extension("m", kept, extra_compile_args=["-DDEBUG"] if DEBUG else ["-DJ=" + jobs])])
        """,
    "classes": """
        class Builder:
            NAME = "base"
            def __init__(self, root="csrc"):
                self.root = root
            def sources(self):
                return []
            @property
            def target(self):
                return f"ops.{self.NAME}"
            def builder(self):
                return CUDAExtension(self.target, [os.path.join(self.root, s) for s in self.sources()])
        class Adam(Builder):
            NAME = "adam"
            def __init__(self):
                super().__init__("csrc")
            def sources(self):
                return ["b.cu"] + (["hip/e.hip"] if torch.version.hip else ["cuda/c.cu"])
        class CMakeExtension(Extension):
            def __init__(self, name, folder=""):
                super().__init__(name, sources=[])
                self.folder = os.path.abspath(folder)
        ops = {cls.NAME: cls() for cls in (Adam,)}
        modules = [CMakeExtension("cmake", ".")]
        for name, op in ops.items():
            modules.append(op.builder())
        setup(**{"ext_modules": modules})
        """,
    "refusal": """
        if torch.version.hip is not None:
            raise RuntimeError(f"{'ROCm'} is not supported")
        setup(ext_modules=[CUDAExtension("m", ["csrc/b.cu"])])
        """,
    "none": """
        nvcc = CUDA_HOME + "/bin/nvcc"
        setup(ext_modules=[CUDAExtension("m", ["csrc/b.cu"])])
        """,
    "modules": """
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        from tools.sources import SOURCES, pick
        import tools.more as more
        setup(ext_modules=[CUDAExtension("m", pick(SOURCES) + more.EXTRA)])
        """,
    "tries": """
        try:
            import torch
            HAVE = True
        except ImportError:
            HAVE = False
        try:
            value = int("three")
        except ValueError:
            value = 3
        setup(ext_modules=[CppExtension("m", ["csrc/a.cpp"] * HAVE + ["csrc/f.c"])] if HAVE else [])
        """,
}
_MODULES = {
    "tools____init__": "",
    "tools__sources": """
        import torch
        SOURCES = ["csrc/a.cpp", "csrc/b.cu", "csrc/cuda/c.cu"]
        def pick(names, rocm=bool(torch.version.hip)):
            return [name for name in names if not (rocm and "/cuda/" in name)]
        """,
    "tools__more": "EXTRA = ['csrc/f.c']",
}


@pytest.mark.parametrize("platform", [NVIDIA, ROCM], ids=lambda platform: platform.name)
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_read_as_python_runs_it(name: str, platform: Platform, tmp_path: Path) -> None:
    folder = _project(tmp_path, SCRIPTS[name], **_MODULES)
    tree = Folder(folder)
    one = _agreement().compare(tree, folder, "setup.py", platform, PythonModules(tree))
    assert one.agrees, one
    assert one.ran > 0 or one.failed, one
    if name not in ("environment", "tries"):
        assert one.conditional == 0, one


def test_torch_translates_what_it_compiles_for_rocm(tmp_path: Path) -> None:
    folder = _project(tmp_path, SCRIPTS["functions"])
    nvidia, rocm = (_read(folder, platform).units for platform in (NVIDIA, ROCM))
    assert {(unit.source, unit.language, unit.hipified) for unit in nvidia} == {
        ("csrc/b.cu", "CUDA", False),
        ("csrc/cuda/c.cu", "CUDA", False),
    }
    assert {(unit.language, unit.hipified) for unit in rocm} == {("HIP", True)}
    assert {given.text for given in rocm[0].defines} == {
        *("WITH_HIP", "N=3", "FAST", "HIP", "USE_ROCM=1", "__HIP_PLATFORM_AMD__=1")
    }
    assert [given.text for given in nvidia[0].flags] == ["-O3"]
    assert nvidia[0].reason.file == "setup.py"


def test_what_nobody_decides_keeps_its_condition(tmp_path: Path) -> None:
    text = """
        sources = ["csrc/a.cpp"]
        flags = []
        if os.environ.get("WITH_B"):
            sources.append("csrc/b.cu")
            flags = ["-DB"]
        if sys.argv[1:2] == ["--c"] and torch.version.cuda:
            sources += ["csrc/cuda/c.cu"]
        if os.environ.get("WITH_B"):
            sources.append("csrc/f.c" if os.getenv("WITH_B") else "never.c")
        setup(ext_modules=[CUDAExtension("m", sources, extra_compile_args=flags)])
        """
    folder = _project(tmp_path, text)
    build = _read(folder, NVIDIA)
    wanted = "os.environ.get('WITH_B')"
    found = _sources(build)
    assert found["csrc/a.cpp"] == ()
    assert found["csrc/b.cu"] == found["csrc/f.c"] == (wanted,)
    assert len(found["csrc/cuda/c.cu"]) == 1
    assert "--c" in found["csrc/cuda/c.cu"][0]
    assert "never.c" not in found
    assert build.units[0].defines == (("B", (wanted,)),)
    assert "csrc/cuda/c.cu" not in _sources(_read(folder, ROCM))


def test_a_return_keeps_what_follows_apart(tmp_path: Path) -> None:
    text = """
        def sources():
            if os.environ.get("SLIM"):
                return ["csrc/a.cpp"]
            if torch.version.hip:
                return ["csrc/hip/e.hip"]
            return ["csrc/b.cu"]
        setup(ext_modules=[CUDAExtension("m", sources())])
        """
    folder = _project(tmp_path, text)
    slim = "os.environ.get('SLIM')"
    assert _sources(_read(folder, NVIDIA)) == {"csrc/a.cpp": (slim,), "csrc/b.cu": (f"not {slim}",)}
    assert _sources(_read(folder, ROCM)) == {"csrc/a.cpp": (slim,), "csrc/hip/e.hip": (f"not {slim}",)}


def test_two_conditions_together_and_their_denial(tmp_path: Path) -> None:
    text = """
        flag, sources = "--slim" in sys.argv, ["csrc/b.cu"]
        if flag:
            if os.environ.get("SMALL"):
                sources = ["csrc/a.cpp"]
        if flag and os.environ.get("SMALL"):
            sources.append("csrc/f.c")
        setup(ext_modules=[CUDAExtension("m", sources)])
        """
    found = _sources(_read(_project(tmp_path, text), NVIDIA))
    assert found["csrc/b.cu"] == ("not ('--slim' in sys.argv and os.environ.get('SMALL'))",)
    assert found["csrc/a.cpp"] == ("'--slim' in sys.argv", "os.environ.get('SMALL')")


def test_a_failure_that_is_not_sure_is_no_refusal(tmp_path: Path) -> None:
    text = """
        import re, subprocess
        version = subprocess.check_output(["nvcc", "-V"]).decode()
        if int(version) < 11:
            raise RuntimeError("too old")
        def found(text):
            match = re.search("a", text)
            if match:
                return match[0]
            raise RuntimeError("none")
        found(version)
        setup(ext_modules=[CUDAExtension("m", ["csrc/b.cu"])])
        """
    build = _read(_project(tmp_path, text), NVIDIA)
    assert _sources(build) == {"csrc/b.cu": ()}
    assert build.refusals == ()


def test_a_refusal_names_its_line(tmp_path: Path) -> None:
    folder = _project(tmp_path, SCRIPTS["refusal"])
    ((reason, why),) = _read(folder, ROCM).refusals
    assert why == "ROCm is not supported"
    assert "raise" in (folder / "setup.py").read_text().splitlines()[reason.line - 1]
    assert _read(folder, NVIDIA).refusals == ()


def test_sources_that_are_made_first_are_said_to_be_unknown(tmp_path: Path) -> None:
    text = """
        import subprocess
        subprocess.run([sys.executable, "generate.py"])
        setup(ext_modules=[CUDAExtension("m", ["csrc/b.cu"] + glob.glob("generated/*.cu"))])
        """
    found = _sources(_read(_project(tmp_path, text), NVIDIA))
    assert set(found) == {"csrc/b.cu", "<generated|*.cu>"}


def test_load_in_a_function_that_nobody_calls_here(tmp_path: Path) -> None:
    text = """
        from torch.utils.cpp_extension import load
        def kernels(name):
            here = os.path.dirname(os.path.abspath(__file__))
            flags = ["-DUSE_HIP"] if torch.version.hip else ["--use_fast_math"]
            return load(name, [os.path.join(here, "csrc", "b.cu")], extra_cuda_cflags=flags)
        """
    folder = _project(tmp_path, text)
    (unit,) = _read(folder, ROCM).units
    assert (unit.source, unit.language, unit.hipified) == ("csrc/b.cu", "HIP", True)
    assert "USE_HIP" in {given.text for given in unit.defines}


@pytest.mark.parametrize(
    "text",
    [
        "x = 'a'\nfor i in range(4000):\n    x += x\n",
        "x = ['a']\nwhile True:\n    x += x\n",
        "def f(n):\n    return f(n) + f(n)\nf(1)\n",
        "x = " + "(" * 80 + "1" + ")" * 80 + "\n",
        "x = " + " + ".join(["'a'"] * 3000) + "\n",
        "class A:\n    pass\nclass A(A):\n    pass\nA().x.y.z()\n",
        "x = x\nimport setup\nfrom . import setup\nprint(*x, **x)\n",
        "[[a for a in b] for b in [c for c in d]]\nlambda: (yield)\n",
        "x = '{:>99999999}'.format(1)\ny = '%99999999d' % 1\nz = 9 ** 9 ** 9 ** 9\nw = 'a' * 10 ** 12\n",
    ],
)
def test_odd_scripts_end(text: str, tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(text)
    build = _read(tmp_path, NVIDIA)
    assert build.units == ()


def test_what_is_no_python_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("setup(")
    ((reason, _),) = _read(tmp_path, NVIDIA).unread
    assert reason.file == "setup.py"


def test_what_who_builds_for_rocm_sets_is_set(tmp_path: Path) -> None:
    text = """
        version = os.environ.get("ROCM_VERSION", None)
        if not version:
            cuda = "".join(torch.version.cuda.split("."))
        extensions = [CUDAExtension("b", ["csrc/b.cu"])]
        if not version:
            extensions.append(CUDAExtension("c", ["csrc/cuda/c.cu"]))
        setup(ext_modules=extensions)
    """
    folder = _project(tmp_path, text)
    assert set(_sources(_read(folder, NVIDIA))) == {"csrc/b.cu", "csrc/cuda/c.cu"}
    there = _read(folder, ROCM)
    assert set(_sources(there)) == {"csrc/b.cu"}
    assert not there.refusals


def test_loop_that_each_turn_may_leave(tmp_path: Path) -> None:
    """What the turns before leave open is not denied once more by each: that doubled with every turn."""
    text = """
def first_of(names):
    for name in names:
        if os.path.exists(os.environ["ROOT"] + name):
            return name
    return "none"
first_of(["a%d" % number for number in range(40)])
setup(name="x", ext_modules=[CUDAExtension("x", ["csrc/a.cpp"])], cmdclass={"build_ext": BuildExtension})
"""
    assert list(_sources(_read(_project(tmp_path, text), NVIDIA))) == ["csrc/a.cpp"]
