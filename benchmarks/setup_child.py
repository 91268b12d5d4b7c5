"""Runs one setup.py with stand-ins for torch and setuptools, and prints what it would have compiled, as JSON.

    python setup_child.py nvidia|rocm SETUP.PY

What a script asks of its machine is answered as a machine of that platform would: versions, compilers, a GPU. What it would
write, download or start is not. It runs code of somebody else's all the same: give it scripts that you have looked at."""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.machinery
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import traceback
import types
from typing import Any

_NVCC = "Cuda compilation tools, release 12.8, V12.8.61\nBuild cuda_12.8.r12.8/compiler.35404655_0\n"
_HIPCC = "HIP version: 6.3.42131\nAMD clang version: 18.0.0\n"


class Anything:
    """Stands in for what nobody here knows: any attribute, any call."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *_: Any, **__: Any) -> Any:
        return Anything()

    def __iter__(self) -> Any:
        return iter(())

    def __getitem__(self, _: Any) -> Any:
        return Anything()

    __add__ = __radd__ = __iadd__ = __sub__ = __mod__ = __truediv__ = __getitem__
    __lt__ = __gt__ = __le__ = lambda self, _: False
    __int__ = __index__ = lambda self: 0

    def __ge__(self, _: Any) -> bool:
        return True

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None: ...

    def __str__(self) -> str:
        return "0"

    def __mro_entries__(self, _: Any) -> tuple[type, ...]:
        return (object,)


class Extension:
    def __init__(self, name: str, sources: Any, *args: Any, **options: Any) -> None:
        names = ("include_dirs", "define_macros", "undef_macros", "library_dirs", "libraries")
        self.name, self.sources, self.builder = name, list(sources), "Extension"
        for key, value in {**dict.fromkeys(names), **dict(zip(names, args)), **options}.items():
            setattr(self, key, value)
        self.extra_compile_args = options.get("extra_compile_args")
        MADE.append(self)


MADE: list[Extension] = []
HANDED: list[Any] = []
LOADED: list[Extension] = []


def _maker(builder: str) -> Any:
    def make(name: str, sources: Any, *args: Any, **options: Any) -> Extension:
        made = Extension(name, sources, *args, **options)
        made.builder = builder
        return made

    return make


def _load(name: str, sources: Any = (), *args: Any, **options: Any) -> Any:
    LOADED.append(Extension(name, [sources] if isinstance(sources, str) else sources))
    LOADED[-1].builder = "load"
    return Anything()


def _setup(**options: Any) -> None:
    HANDED.extend(options.get("ext_modules") or [])


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


def _module(name: str, **names: Any) -> types.ModuleType:
    made = _Module(name)
    made.__path__ = []
    made.__dict__.update(names)
    sys.modules[name] = made
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, made)
    return made


def _torch(rocm: bool) -> None:
    cuda = {"is_available": lambda: True, "device_count": lambda: 1, "get_device_capability": lambda *_: (9, 0)}
    cuda["get_arch_list"] = lambda: ["gfx942"] if rocm else ["sm_80", "sm_90"]
    properties = types.SimpleNamespace(gcnArchName="gfx942:sramecc+:xnack-", major=9, minor=0)
    cuda["get_device_properties"] = lambda *_: properties
    _module("torch", __version__="2.7.0+rocm6.3" if rocm else "2.7.0+cu128").__path__ = ["/torch"]
    versions = {"hip": "6.3.42131" if rocm else None, "cuda": None if rocm else "12.8", "__version__": "2.7.0"}
    _module("torch.version", **versions, git_version="0" * 40)
    _module("torch.cuda", **cuda)
    _module("torch._C", _GLIBCXX_USE_CXX11_ABI=True)
    _module("torch.__config__", parallel_info=lambda: "OpenMP found")
    _module("torch.backends")
    _module("torch.backends.cudnn", is_available=lambda: True)
    _module("torch.utils")
    builder = type("BuildExtension", (), {"with_options": classmethod(lambda cls, **_: cls)})
    _module(
        "torch.utils.cpp_extension",
        CUDAExtension=_maker("CUDAExtension"),
        CppExtension=_maker("CppExtension"),
        BuildExtension=builder,
        load=_load,
        CUDA_HOME=None if rocm else "/usr/local/cuda",
        ROCM_HOME="/opt/rocm" if rocm else None,
        IS_HIP_EXTENSION=rocm,
        IS_WINDOWS=False,
        IS_MACOS=False,
        IS_LINUX=True,
        TORCH_MAJOR=2,
        TORCH_MINOR=7,
        COMMON_NVCC_FLAGS=[],
        COMMON_HIPCC_FLAGS=[],
        _get_cuda_arch_flags=lambda *_: [],
        include_paths=lambda *_, **__: ["/torch/include"],
        library_paths=lambda *_, **__: [],
    )


def _setuptools() -> None:
    command = type("Command", (), {"user_options": [], "run": lambda self: None})
    commands = (
        "build_ext",
        "build_py",
        "develop",
        "install",
        "sdist",
        "egg_info",
        "build",
        "clean",
        "bdist_egg",
        "test",
    )
    for root in ("setuptools", "distutils"):
        _module(root, setup=_setup, Extension=Extension, Command=command, find_packages=lambda *_, **__: [])
        sys.modules[root].__dict__.update(find_namespace_packages=lambda *_, **__: [], Distribution=object)
        sys.modules[root].__dict__["__version__"] = "75.0.0"
        _module(f"{root}.command")
        for name in commands:
            _module(f"{root}.command.{name}", **{name: command})
    _module("distutils.core", setup=_setup, Extension=Extension, Command=command)
    _module("setuptools.extension", Extension=Extension)
    _module("wheel")
    _module("wheel.bdist_wheel", bdist_wheel=command)


REAL = ("packaging", "rewarp")


def _local(folder: str, name: str) -> bool:
    """Whether a module lies in a folder that is no installation's."""
    inside = "site-packages" not in folder and folder.startswith(os.environ["REWARP_ROOT"])
    return inside and (os.path.isdir(os.path.join(folder, name)) or os.path.isfile(os.path.join(folder, f"{name}.py")))


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Whatever else is not installed."""

    def find_spec(self, name: str, *_: Any) -> Any:
        top = name.partition(".")[0]
        own = top in sys.stdlib_module_names and top != "distutils"
        if own or top in REAL or any(_local(folder, top) for folder in sys.path):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        return _Module(spec.name)

    def exec_module(self, module: Any) -> None: ...


def _harmless(rocm: bool) -> None:
    """Nothing is written, started or fetched."""

    def answer(command: Any, *_: Any, **options: Any) -> Any:
        words = command if isinstance(command, str) else " ".join(map(str, command))
        text = _NVCC if "nvcc" in words else _HIPCC if "hip" in words else "0123456\n"
        as_text = options.get("text") or options.get("universal_newlines") or options.get("encoding")
        return text if as_text else text.encode()

    def done(command: Any, *_: Any, **options: Any) -> Any:
        return subprocess.CompletedProcess(command, 0, answer(command, **options), answer("", **options))

    subprocess.check_output = answer
    subprocess.run = done  # type: ignore[assignment]
    subprocess.check_call = subprocess.call = lambda *_, **__: 0
    subprocess.Popen = Anything  # type: ignore[misc, assignment]
    os.system = lambda *_: 0
    really_open = builtins.open

    def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        if set(mode) & set("wax+"):
            return io.BytesIO() if "b" in mode else io.StringIO()
        return really_open(file, mode, *args, **options)

    builtins.open = opened
    modules = os.path.join(os.environ["REWARP_ROOT"], ".gitmodules")
    listed = really_open(modules).read() if os.path.isfile(modules) else ""
    submodules = re.findall(r"(?m)^\s*path\s*=\s*(\S+?)/*\s*$", listed)
    elsewhere = tuple(os.path.join(os.environ["REWARP_ROOT"], path) for path in submodules) + ("/torch",)

    def checked(really: Any) -> Any:
        """A repository that was cloned with all of its submodules."""

        def check(path: Any) -> Any:
            full = os.path.realpath(os.fspath(path))
            return full.endswith("/.git") or full.startswith(elsewhere) or really(path)

        return check

    really_list = os.listdir
    os.listdir = lambda path=".": ["CMakeLists.txt"] if checked(lambda _: False)(path) else really_list(path)
    for name in ("exists", "isdir", "isfile"):
        setattr(os.path, name, checked(getattr(os.path, name)))
    for name in ("exists", "is_dir", "is_file"):
        setattr(pathlib.Path, name, checked(getattr(pathlib.Path, name)))
    for owner, names in (
        (os, "makedirs mkdir remove unlink rename replace symlink rmdir chmod"),
        (shutil, "copy copy2 copyfile copytree rmtree move"),
        (pathlib.Path, "write_text write_bytes mkdir unlink touch symlink_to rename"),
    ):
        for name in names.split():
            setattr(owner, name, lambda *_, **__: None)


def _told(extension: Extension) -> dict[str, Any]:
    given = vars(extension)  # a class of the script's may have made properties of them
    macros = [[str(part) if part is not None else None for part in macro] for macro in given.get("define_macros") or ()]
    return {
        "name": str(extension.name),
        "builder": extension.builder,
        "sources": [os.path.relpath(os.path.realpath(source)) for source in map(str, extension.sources)],
        "macros": macros,
        "args": extension.extra_compile_args,
        "includes": [str(folder) for folder in given.get("include_dirs") or ()],
    }


def main() -> int:
    platform, script = sys.argv[1], os.path.abspath(sys.argv[2])
    os.chdir(os.path.dirname(script))
    sys.argv = [script, "build_ext"]
    sys.path.insert(0, os.path.dirname(script))
    _setuptools()
    _torch(platform == "rocm")
    sys.meta_path.insert(0, _Finder())
    out = os.dup(1)
    os.dup2(2, 1)
    _harmless(platform == "rocm")
    error = None
    names = {"__name__": "__main__", "__file__": script}
    try:
        with open(script, "rb") as stream:
            code = compile(stream.read(), script, "exec")
        exec(code, names)
    except SystemExit as stop:
        error = {"type": "SystemExit", "message": str(stop.code)} if stop.code else None
    except BaseException as failed:
        where = traceback.extract_tb(failed.__traceback__)[-1]
        error = {"type": type(failed).__name__, "message": str(failed), "line": where.lineno, "file": where.filename}
    built = [one for one in HANDED if isinstance(one, Extension)] + LOADED
    os.write(out, json.dumps({"built": [_told(one) for one in built], "error": error}, default=str).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
