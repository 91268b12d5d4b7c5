"""What each file of a project is for: the package itself, tests, examples, benchmarks, docs, other people's code, ...

Evidence comes first: what packaging installs, what a build compiles, what these import and include. Where nothing of that
speaks, the names of folders do (``role_names``). In doubt a file belongs to the package: who counts only the package must
not lose a part of it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import cached_property

from rewarp.lang.kinds import CPP_KINDS, PYTHON_KINDS, Kind, kind_of_path
from rewarp.project.build.setup_script import read_setup
from rewarp.project.build.units import BuildUnit
from rewarp.project.gates import NVIDIA, ROCM
from rewarp.project.modules import PythonModules
from rewarp.project.packaging import Packaging, read_pyproject, read_setup_cfg
from rewarp.project.role_names import ASIDE, C_FAMILY, Role, RoleOf, named_role
from rewarp.project.submodules import listed_submodules
from rewarp.workspace import Tree

_SOURCES = (".py", ".rs", *C_FAMILY)
_MOSTLY = 5
"""A project with so many times as many examples as other sources, and nothing to install, is made of examples."""
_RUNS_ALONE = re.compile(rb"\bmain\s*\(|\bTEST(?:_[A-Z]+)?\s*\(|\bBENCHMARK\w*\s*\(|gtest|catch2|doctest|nvbench")
_IMPORT = re.compile(rb"(?m)^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)|import[ \t]+([\w., \t]+))")
_COMPILED = (".cu", ".cpp", ".cc", ".cxx", ".c", ".hip")
_GENERATED = re.compile(
    rb"(?i)@generated\b|\bauto-?generated\b|\bgenerated (by|from|code)\b[^\n]{0,80}|DO NOT (EDIT|MODIFY)"
)
_GENERATED_NAME = re.compile(r".*(_pb2(_grpc)?\.pyi?|\.pb\.(cc|h)|_generated\.\w+)")
_CMAKES_MODULE = re.compile(r"(?i)(.*/)?(FindCUDA\.cmake|FindCUDA/(run_nvcc|parse_cubin|make2cmake)\.cmake)")
_CMAKES_WORDS = re.compile(rb"(?i)cuda_wrap_srcs|CUDA_NVCC_EXECUTABLE|generated_file|cubin_file|output_file")
_NVIDIAS_TERMS = re.compile(rb"NVIDIA Corporation(?s:.*)NOTICE TO LICENSEE")
"""What stands above the toolkit's own headers; samples and libraries of NVIDIA's that may be changed say something else."""
_HEAD = 600
_CODE = (*CPP_KINDS, *PYTHON_KINDS, Kind.SHELL, Kind.CMAKE, Kind.RUST)
_LICENCE = re.compile(r"(licen[cs]e|copying)([._-].*)?", re.I)
_HOLDER = re.compile(rb"(?i)copyright\s*(?:\(c\)|\xc2\xa9)?[^\n]*")
_MENTIONED = re.compile(rb"[\w+.-]+\.(?:cu|cuh|cpp|cc|cxx|c|h|hpp|hip|inl)\b")
_TAKES_ARGUMENTS = re.compile(
    rb"(?m)^[ \t]*(?:import argparse|from argparse import|import (?:click|fire|tyro|hydra)\b|from (?:click|tyro|hydra|absl) import)"
    rb"|\bparse_args\(|Options\(\)\.parse\("
)
_HOLDS_TESTS = re.compile(
    rb"(?m)^[ \t]*(?:import (?:pytest|unittest)\b|from (?:pytest|unittest)\b|(?:async )?def test_\w*\()"
)
_BUILD_FILE = re.compile(
    r"(?i)setup\.(py|cfg)|pyproject\.toml|cmakelists\.txt|.*\.cmake|.*makefile.*|.*\.mk|meson\.build|cargo\.toml|build\.rs"
    r"|requirements\.txt"
)
_COMPILES = frozenset(
    "cmakelists.txt makefile gnumakefile meson.build build.ninja sconstruct cargo.toml build.bazel".split()
)
_SETS_UP = re.compile(rb"\b(setuptools|distutils|skbuild)\b")
_TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py")


class Roles:
    """The roles of a tree's files."""

    def __init__(self, tree: Tree, units: Iterable[BuildUnit] = (), *, whole_build: bool = False) -> None:
        """``units``: of all platforms. ``whole_build``: they are all there are, so that a source which none names is dead."""
        self.tree = tree
        self.modules = PythonModules(tree)
        self._units: dict[str, BuildUnit] = {}
        for unit in units:
            self._units.setdefault(unit.source, unit)
        self._whole_build = whole_build and not any("<" in source for source in self._units)

    def of(self, path: str) -> RoleOf:
        return self.all[path]

    @cached_property
    def all(self) -> dict[str, RoleOf]:
        found = {path: self._role(path) for path in self.tree.files()}
        sources = [path for path in found if path.endswith(_SOURCES)]
        own = [path for path in sources if found[path].role is Role.PACKAGE and not _BUILD_FILE.fullmatch(_name(path))]
        aside = [path for path in sources if found[path].role in (Role.EXAMPLES, Role.BENCHMARKS)]
        if sources and (not own or (len(aside) > _MOSTLY * len(own) and not self._installed)):
            for path, (role, _) in found.items():  # a collection of samples, a suite of benchmarks: that is the project
                if role in (Role.EXAMPLES, Role.BENCHMARKS, Role.TOOLING) and path.endswith(_SOURCES):
                    found[path] = RoleOf(Role.PACKAGE, f"the project is made of {role.value}")
        return found

    def _role(self, path: str) -> RoleOf:
        named = self._named(path)
        foreign = self._foreign(path)
        if foreign is not None:
            return RoleOf(Role.VENDORED, foreign)
        if path.startswith(self._built_in):
            return RoleOf(Role.GENERATED, "CMake wrote it when somebody built here")
        if _CMAKES_MODULE.fullmatch(path) and _CMAKES_WORDS.search(self.tree.read(path) or b""):
            return RoleOf(Role.VENDORED, "a copy of CMake's own module")
        if path.endswith(C_FAMILY) and _NVIDIAS_TERMS.search((self.tree.read(path) or b"")[:_HEAD]):
            return RoleOf(Role.VENDORED, "a copy of a header of NVIDIA's toolkit, under its terms")
        if named is not None and named.role is Role.DATA:
            return named
        if named is not None and named.role is Role.VENDORED and not self._installs(path):
            return named
        installed = self._installs(path)
        if installed and path.endswith(_COMPILED) and self._compiles_nothing and self._is_unmentioned(path):
            return RoleOf(Role.DEAD, "nothing compiles sources here, and no file mentions its name")
        if installed is not None and not self._tests_itself(path, installed[0]):
            if not self._is_generated(path) or path in self._units:
                return RoleOf(Role.PACKAGE, installed[1])
        if path in self._units and (named is None or named.role not in ASIDE):
            unit = self._units[path]
            return RoleOf(Role.PACKAGE, f"{unit.reason.file}:{unit.reason.line} builds {unit.target} with it")
        if path in self._imported and (named is None or named.role is not Role.TESTS):
            return RoleOf(Role.PACKAGE, f"{self._imported[path]} imports it")
        if named is not None:
            return named
        if self._is_generated(path) and (self._whole_build or not path.endswith(C_FAMILY)):
            return RoleOf(Role.GENERATED, "its first lines, or its name, say that it is generated")
        if self._is_dead(path):
            return RoleOf(Role.DEAD, "no build compiles it, and no file mentions its name")
        return RoleOf(Role.PACKAGE, "nothing says that it is anything else")

    def _named(self, path: str) -> RoleOf | None:
        """The role by name; a source that is only called so, and is no program, is a part of something."""
        named = named_role(path)
        if named is not None and named.reason.startswith("it is called") and path.endswith(C_FAMILY):
            if not _RUNS_ALONE.search(self.tree.read(path) or b""):
                return None
        # A demo beside a project's other modules is its program; examples of a library lie in a folder of their own.
        if named is not None and named.role is Role.EXAMPLES and named.reason.startswith("it is called"):
            if path.endswith(".py") and not self._installed:
                return None
        # So is what evaluates a model on its test data, or times it: no test and no benchmark of a library.
        if (
            named is not None
            and named.role in (Role.TESTS, Role.BENCHMARKS)
            and named.reason.startswith("it is called")
        ):
            if path.endswith(".py") and not self._installed and _is_program(self.tree.read(path) or b""):
                return None
        return named

    # --- what is installed ------------------------------------------------------------

    @cached_property
    def packaging(self) -> list[Packaging]:
        found: list[Packaging] = []
        for path in self.tree.files():
            name = _name(path)
            if name == "pyproject.toml":
                one = read_pyproject(self.tree, path)
            elif name == "setup.cfg":
                one = read_setup_cfg(self.tree, path)
            elif name == "setup.py" and _SETS_UP.search(self.tree.read(path) or b""):
                one = self._setup(path)
            else:
                continue
            if one is not None and not self._aside_packaging(path):
                found.append(one)
        return found

    def _setup(self, path: str) -> Packaging | None:
        installed = None
        for platform in (NVIDIA, ROCM):
            build = read_setup(self.tree, path, platform, self.modules)
            installed = installed or build.installed
            for unit in build.units:
                self._units.setdefault(unit.source, unit)
        return installed

    def _aside_packaging(self, path: str) -> bool:
        """Packaging of a test's helper, of an example, or of a third-party library."""
        named = named_role(path)
        return (named is not None and named.role in ASIDE) or self._foreign(path) is not None

    @cached_property
    def _installed(self) -> dict[str, str]:
        """Folders and files that are installed; what only names a folder of tests or examples does not make it a package."""
        found: dict[str, str] = {}
        for one in self.packaging:
            for place, why in {**one.packages, **one.modules}.items():
                named = named_role(f"{place}/x")
                outermost = named_role(f"{place.partition('/')[0]}/x")
                if outermost is None or named is None or outermost.role is Role.TOOLING:
                    found.setdefault(place, why)
        return found

    def _installs(self, path: str) -> tuple[str, str] | None:
        """The installed folder (or file) that holds a path, and why it is one."""
        if path in self._installed:
            return path, self._installed[path]
        if not path.endswith((".py", ".pyi", *_SOURCES)):
            return None
        return self._installing(path.rpartition("/")[0])

    def _installing(self, folder: str) -> tuple[str, str] | None:
        """The installed folder that a folder is, or lies in; many files ask for each."""
        if folder not in self._installing_folders:
            why = self._installed.get(folder) if folder else None
            found = (folder, why) if why else self._installing(folder.rpartition("/")[0]) if folder else None
            self._installing_folders[folder] = found
        return self._installing_folders[folder]

    @cached_property
    def _installing_folders(self) -> dict[str, tuple[str, str] | None]:
        return {}

    def _tests_itself(self, path: str, package: str) -> bool:
        """A package's own tests, installed with it."""
        inside = path[len(package) + 1 :] if path != package else ""
        named = named_role(inside) if inside else None
        if _TEST_FILE.fullmatch(_name(path)) and _name(path) != "conftest.py":
            return any(part in ("test", "tests") for part in path.split("/")[:-1]) or "/" not in path
        last = posixpath.dirname(path).rpartition("/")[2]
        return named is not None and named.role is Role.TESTS and last in ("test", "tests")

    # --- what others say --------------------------------------------------------------

    @cached_property
    def _imported(self) -> dict[str, str]:
        """Modules outside of the installed packages that programs of the project or its build scripts import. An installed
        package cannot: it would fail where it is installed."""
        python = [path for path in self.tree.files() if path.endswith(".py")]
        outside = {path for path in python if self._installs(path) is None and self._foreign(path) is None}
        names = {
            _name(path.removesuffix("/__init__.py").removesuffix(".py")).encode("utf-8", "surrogatepass")
            for path in outside
        }
        found: dict[str, str] = {}
        waiting = [path for path in sorted(outside) if _name(path) == "setup.py" or named_role(path) is None]
        while waiting:
            path = waiting.pop()
            for dotted in _imports(self.tree.read(path) or b"", names):
                target = self.modules.file(path, dotted)
                if target in outside and target not in found and target != path:
                    found[target] = path
                    waiting.append(target)
        return found

    @cached_property
    def _foreign_roots(self) -> dict[str, str]:
        """Folders of other people's code."""
        found = {path: "it is a submodule" for path, entry in self.tree.entries.items() if entry.nature == "submodule"}
        listed = listed_submodules(self.tree)
        found |= {path: f"{path} is a submodule" for path in listed}
        # A script of that name puts licences above other files, and is none.
        licences = [path for path in self.tree.files() if _LICENCE.fullmatch(_name(path)) and not _is_code(path)]
        own = {holder for path in licences if "/" not in path for holder in self._holders(path)}
        for path in licences:
            folder = posixpath.dirname(path)
            holders = self._holders(path) if folder and own else set()
            if holders and not holders & own and not (self._builds_itself(folder) or self._built_from_outside(folder)):
                found.setdefault(folder, f"{path} is another's licence")
        return found

    def _holders(self, path: str) -> set[bytes]:
        """Whom a licence names, without years."""
        lines = _HOLDER.findall((self.tree.read(path) or b"")[:20_000])
        cleaned = (re.sub(rb"(?i)copyright|\(c\)|[\d,.\s-]+|all rights reserved", b"", line).lower() for line in lines)
        return {
            line for line in cleaned if len(line) > 3 and not line.startswith((b"notice", b"owner", b"license", b"["))
        }

    def _builds_itself(self, folder: str) -> bool:
        """Whether packaging of the project installs what lies there."""
        return any(f"{place}/".startswith(folder + "/") for place in self._own_places)

    def _built_from_outside(self, folder: str) -> bool:
        """Whether a build file that lies elsewhere compiles what lies there: whoever wrote it, the build needs it."""
        return any(
            source.startswith(f"{folder}/") and not unit.reason.file.startswith(f"{folder}/")
            for source, unit in self._units.items()
        )

    @cached_property
    def _own_places(self) -> frozenset[str]:
        """What packaging at the top of the tree installs."""
        top = (read_pyproject(self.tree, "pyproject.toml"), read_setup_cfg(self.tree, "setup.cfg"))
        return frozenset(place for one in top if one is not None for place in one.packages)

    def _foreign(self, path: str) -> str | None:
        """Why the folders of a path are another's; None where they are not."""
        folder = path.rpartition("/")[0]
        if folder not in self._foreign_folders:
            own = self._foreign_roots.get(folder) if folder else None
            self._foreign_folders[folder] = own or (self._foreign(folder) if folder else None)
        return self._foreign_folders[folder]

    @cached_property
    def _foreign_folders(self) -> dict[str, str | None]:
        return {}

    # --- what a file itself says ------------------------------------------------------

    def _is_generated(self, path: str) -> bool:
        if not path.endswith(_SOURCES):
            return False
        if _GENERATED_NAME.fullmatch(path):
            return True
        head = (self.tree.read(path) or b"")[:_HEAD]
        return any(line.lstrip()[:1] in (b"#", b"/", b"*") for line in _lines_with(_GENERATED, head))

    @cached_property
    def _built_in(self) -> tuple[str, ...]:
        """Folders in which CMake has built, each with its last stroke; of one that is a source folder too, what is CMake's."""
        files = set(self.tree.files())
        found: set[str] = set()
        for path in files:
            folder, name = posixpath.split(path)
            if name == "CMakeCache.txt" and folder and posixpath.join(folder, "CMakeLists.txt") not in files:
                found.add(f"{folder}/")
            above, inside, _ = f"/{path}".partition("/CMakeFiles/")
            if inside:
                found.add(f"{above}{inside}".lstrip("/"))
        return tuple(sorted(found))

    def _is_dead(self, path: str) -> bool:
        if not self._whole_build or not path.endswith(_COMPILED) or path in self._units:
            return False
        if not any(path.startswith(folder) for folder in self._build_folders):
            return False  # a build says nothing of what lies beside it
        return self._is_unmentioned(path)

    def _is_unmentioned(self, path: str) -> bool:
        return _name(path).encode("utf-8", "surrogatepass") not in self._mentioned

    @cached_property
    def _build_folders(self) -> frozenset[str]:
        """Folders of the build files, each with its last stroke; the whole tree for one at the top."""
        files = {unit.reason.file for unit in self._units.values()}
        return frozenset(f"{folder}/" if (folder := posixpath.dirname(file)) else "" for file in files)

    @cached_property
    def _compiles_nothing(self) -> bool:
        """Whether the project has packaging and no build: then nobody compiles what it holds."""
        names = (_name(path).lower() for path in self.tree.files())
        built = any(name in _COMPILES or name.endswith((".cmake", ".mk")) for name in names)
        return bool(self.packaging) and not self._units and not built

    @cached_property
    def _mentioned(self) -> frozenset[bytes]:
        """Names of sources that any file of the tree writes down."""
        found: set[bytes] = set()
        for path, entry in self.tree.entries.items():
            if entry.nature == "file" and entry.size < 1_000_000:
                found.update(_MENTIONED.findall(self.tree.read(path) or b""))
        return frozenset(found)


def _is_program(text: bytes) -> bool:
    """Whether a Python file asks for arguments and holds no tests."""
    return _TAKES_ARGUMENTS.search(text) is not None and _HOLDS_TESTS.search(text) is None


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _imports(text: bytes, names: set[bytes]) -> Iterable[str]:
    """The modules that a file imports, as far as their last name is one of these. Parsing every file would take minutes."""
    for module, members, plain in _IMPORT.findall(text):
        for one in re.split(rb"[,\s]+", plain) if plain else ():
            if one.rpartition(b".")[2] in names:
                yield one.decode()
        if not plain:
            if module.rpartition(b".")[2] in names:
                yield module.decode()
            for member in re.split(rb"[,\s]+", members):
                if member in names:
                    yield (module + (b"" if module.endswith(b".") else b".") + member).decode()


def _lines_with(pattern: re.Pattern[bytes], text: bytes) -> list[bytes]:
    return [line for line in text.splitlines() if pattern.search(line)]


def _is_code(path: str) -> bool:
    return kind_of_path(path) in _CODE
