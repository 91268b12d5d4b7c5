"""What holds the code together: layers, docs that derive from code, rules that say everything."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest

from rewarp.edits import Safety
from rewarp.findings import Severity
from rewarp.registry import Rule, all_rules
from rewarp.translation import reported_rules

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "rewarp"
LAYERS = [
    ("errors", "__init__"),
    ("escape",),
    ("source", "files", "runtime", "printing", "plugins", "schema", "settings", "processes"),
    ("edits",),
    ("findings", "targets", "tables"),
    ("git", "lang", "project.gates"),
    ("workspace",),
    ("waves", "fixes"),
    ("registry", "project"),
    ("rules",),
    ("engine", "host", "toolchain"),
    ("machine",),
    ("cache",),
    ("runner", "verdict", "config", "baseline"),
    ("translation",),
    ("api",),
    ("verify", "parity", "bench", "run", "bridge"),
    ("pytest_plugin",),
    ("port",),
    ("fleet",),
    ("report", "skill"),
    ("mcp",),
    ("cli",),
    ("__main__",),
]
"""Lower first. A module imports from its own layer or below."""
HEAVY = ("torch", "numpy", "safetensors", "triton", "yaml", "duckdb", "pyarrow", "ray")
USE_HEAVY = ("verify", "bench", "machine", "run", "fleet", "bridge")
"""Only these may use what the core installs without, and only inside functions (or for types)."""
LATE_PLACES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.If)
PRINTS = ("printing.py", "cli/terminal.py")
"""Where standard output and standard error are written to: lines, products; and documents that were escaped when made."""
IN_PROGRAMS = ("runtime/rewarp_runtime.py", "port/gaudi/double.py", "verify/run/child/call.py")
"""What runs inside the projects, and prints as they do."""
REDIRECTED = {"cli/__init__.py": ("sys.stdout", "sys.stderr"), "cli/verify/record.py": ("sys.stderr",)}
"""Who sets the streams themselves up, and writes nothing."""
HARMLESS = ("isatty", "flush", "fileno")
ESCAPES = {"escape.py": ("html.escape",), "report/console.py": ("rich.console", "rich.text")}
"""Who makes text of a string for a terminal or a page; for the others there are ``rewarp.escape`` and this console."""
OF_THE_CONSOLE = ("rich.text", "rich.markup", "rich.console.Console", "rich.print", "html.escape", "xml.sax.saxutils")
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def _layer(module: str) -> int:
    parts = module.removeprefix("rewarp").lstrip(".").split(".")
    return LEVEL.get(".".join(parts[:2]), LEVEL.get(parts[0] or "__init__", LEVEL["__init__"]))


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda f: str(f.relative_to(SOURCE)))
def test_imports_go_downward(file: Path) -> None:
    own = file.relative_to(SOURCE).with_suffix("").parts
    level = LEVEL.get(".".join(own[:2]), LEVEL[own[0]])
    if own == ("__init__",):
        return  # the package offers the verbs, late
    if own == ("runtime", "rewarp_runtime"):
        return  # lives in the projects that were ported, where torch is; nothing here imports it
    tree = ast.parse(file.read_bytes())
    late = {inner for node in ast.walk(tree) if isinstance(node, LATE_PLACES) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"rewarp.{a.name}" for a in node.names] if node.module == "rewarp" else [node.module or ""]
        else:
            continue
        for name in names:
            if name.startswith("rewarp"):
                assert _layer(name) <= level, f"{file} imports {name}, a layer above it"
            heavy = name.partition(".")[0] in HEAVY
            assert not heavy or (own[0] in USE_HEAVY and node in late), f"{file} imports {name} at start"


def _streams(tree: ast.AST) -> list[str]:
    """What is done with standard output and standard error, and calls of print."""
    harmless = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in HARMLESS}
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if (isinstance(node, ast.Call) and ast.unparse(node.func) == "print")
        or (
            isinstance(node, ast.Attribute)
            and id(node) not in harmless
            and ast.unparse(node) in ("sys.stdout", "sys.stderr")
        )
    ]


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda f: str(f.relative_to(SOURCE)))
def test_printing_and_escaping_have_one_place(file: Path) -> None:
    """A name with ESC in it, printed as it is, steers the terminal: nobody need think of it who prints in one place."""
    name = file.relative_to(SOURCE).as_posix()
    tree = ast.parse(file.read_bytes())
    if name not in (*PRINTS, *IN_PROGRAMS):
        streams = [it for it in _streams(tree) if it.partition(": ")[2] not in REDIRECTED.get(name, ())]
        assert streams == [], "print with rewarp.printing"
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
        else:
            continue
        theirs = [it for it in names if it in OF_THE_CONSOLE]
        allowed = ESCAPES.get(name, ())
        assert all(it.startswith(allowed) for it in theirs) if allowed else theirs == [], (
            "use rewarp.escape, report.console"
        )


@pytest.mark.parametrize(
    "code",
    [
        "print(x)",
        "sys.stdout.write(x)",
        "print(x, file=sys.stderr)",
        "json.dump(x, sys.stdout)",
        "out = sys.stderr.buffer",
    ],
)
def test_a_bare_print_is_seen(code: str) -> None:
    assert _streams(ast.parse(code))


def test_generated_docs_are_fresh() -> None:
    spec = importlib.util.spec_from_file_location("build_docs", ROOT / "scripts" / "build_docs.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.stale() == [], "run scripts/build_docs.py"


ASKS_BY_ID = "translation/reported_rules.py"
"""The translator reports its problems under the ids of the rules that find the same, without loading rules."""


@pytest.mark.parametrize(
    "file",
    [file for file in sorted(SOURCE.rglob("*.py")) if "rules" not in file.relative_to(SOURCE).parts],
    ids=lambda f: str(f.relative_to(SOURCE)),
)
def test_rules_are_asked_not_named(file: Path) -> None:
    """A rule says itself what it means and how it is fixed: nobody else knows it by its id, or looks into its folder."""
    name = file.relative_to(SOURCE).as_posix()
    known = set(all_rules()) | {rule.rpartition("-")[0] + "-" for rule in all_rules()}
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("rewarp.rules."), "a module of rules is imported"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and name != ASKS_BY_ID:
            assert node.value not in known, f"line {node.lineno} names a rule"


def test_the_translator_reports_under_rules_that_there_are() -> None:
    ids = {value for name, value in vars(reported_rules).items() if name.isupper() and isinstance(value, str)}
    assert len(ids) > 5
    assert ids <= set(all_rules())


def test_the_translator_reports_hazards_under_the_rules_that_find_them() -> None:
    found: dict[str, set[str]] = {}
    for file in (SOURCE / "rules" / "waves").glob("*.py"):
        text = file.read_text()
        for rule in re.findall(r'\bid="(WAV-[0-9]+)"', text):
            for kind in re.findall(r"\bKind\.([A-Z_0-9]+)", text):
                found.setdefault(kind, set()).add(rule)
    for kind, rule in reported_rules.OF_HAZARDS.items():
        assert rule in found[kind], kind


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.id)
def test_rule_says_everything(rule: Rule) -> None:
    assert rule.title
    assert not rule.title.endswith(".")
    assert rule.what.startswith("Looks for ")
    assert rule.example
    assert rule.source
    for impact in rule.impacts.values():
        assert impact.why.endswith((".", "!", "?", ")")), impact.why
        if impact.severity.rank >= Severity.WRONG.rank:
            assert impact.fix, "trouble without a way out"
            assert impact.effort.value != "none"


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.id)
def test_what_is_called_safe_has_a_fix(rule: Rule) -> None:
    """A scan promises that a port does it."""
    for target, impact in rule.impacts.items():
        if impact.safety is Safety.SAFE:
            assert rule.fixes.get(target), f"nothing here would change it for {target}"


def test_no_two_rules_share_a_title() -> None:
    titles = [rule.title for rule in all_rules().values()]
    assert len(titles) == len(set(titles))


def _own_imports(file: Path) -> list[tuple[str, str, bool]]:
    """What of rewarp a file imports: module, name, and whether only when it is needed."""
    tree = ast.parse(file.read_bytes())
    late = {inner for node in ast.walk(tree) if isinstance(node, LATE_PLACES) for inner in ast.walk(node)}
    return [
        (node.module, alias.name, node in late)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "rewarp" and node.module
        for alias in node.names
    ]


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda f: str(f.relative_to(SOURCE)))
def test_what_is_private_stays_in_its_folder(file: Path) -> None:
    """``_name`` belongs to its module, ``_module`` to its folder."""
    folder = ".".join(("rewarp", *file.relative_to(SOURCE).parts[:-1]))
    for module, name, _ in _own_imports(file):
        parts = f"{module}.{name}".split(".")
        for at, part in enumerate(parts):
            if part.startswith("_") and not part.startswith("__"):
                owner = ".".join(parts[:at])
                assert (folder + ".").startswith(owner + "."), f"{file} imports {module}.{name}"


Needs = dict[tuple[str, ...], dict[str, set[str]]]
"""By package, which of its folders import which others of them."""


def _needs_of_folders(source: Path, modules_too: bool = False) -> Needs:
    needs: Needs = {}
    for file in source.rglob("*.py"):
        own = file.relative_to(source).with_suffix("").parts
        own = own if modules_too and file.name != "__init__.py" else own[:-1]
        for module, name, late in _own_imports(file):
            other = (*module.split(".")[1:], name)
            shared = next((at for at, (a, b) in enumerate(zip(own, other)) if a != b), min(len(own), len(other)))
            imported = source.joinpath(*other[: shared + 1])
            is_below = imported.is_dir() or (modules_too and imported.with_suffix(".py").is_file())
            if shared and shared < min(len(own), len(other)) and is_below and not late:
                needs.setdefault(own[:shared], {}).setdefault(own[shared], set()).add(other[shared])
    return needs


def _circles(needs: Needs) -> list[str]:
    found = []
    for package, folders in needs.items():
        for folder, others in folders.items():
            reached, open_ones = set[str](), sorted(others - {folder})
            while open_ones:
                other = open_ones.pop()
                if other not in reached:
                    reached.add(other)
                    open_ones += folders.get(other, set()) - {other}
            if folder in reached:
                found.append(f"{'/'.join(package)}: {folder} and {', '.join(sorted(reached))} need each other")
    return found


def test_folders_of_a_package_have_an_order() -> None:
    """Below each package, however deep, imports go one way: reading knows nothing of finding, finding nothing of fixing."""
    needs = _needs_of_folders(SOURCE)
    assert {
        ("waves",),
        ("port",),
        ("parity", "rust"),
        ("verify", "isolation"),
        ("verify", "isolation", "python"),
    } <= set(needs)
    assert _circles(needs) == []


def test_folders_and_the_modules_beside_them_have_an_order() -> None:
    """A module beside the folders of its package stands above or below each of them."""
    needs = _needs_of_folders(SOURCE, modules_too=True)
    del needs["verify", "isolation"]  # its context holds what the folders read, and their comparers are given it
    assert "steps" in needs["port",]["dropping"]
    assert "steps" in needs["port",]["result"]
    assert _circles(needs) == []


def test_folders_that_need_each_other_are_seen(tmp_path: Path) -> None:
    for name, text in {
        "a/b/one/x.py": "from rewarp.a.b.two import y\n",
        "a/b/two/y.py": "from rewarp.a.b import three\n",
        "a/b/three/__init__.py": "from rewarp.a.b.one.x import z\n",
        "a/b/four/x.py": "from rewarp.a.b.one import x\ndef f():\n    from rewarp.a.b.one import x\n",
        "a/b/one/late.py": "def f():\n    from rewarp.a.b.four import x\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert sorted(line.split(" and ")[0] for line in _circles(_needs_of_folders(tmp_path))) == [
        "a/b: one",
        "a/b: three",
        "a/b: two",
    ]


def test_a_module_and_a_folder_that_need_each_other_are_seen(tmp_path: Path) -> None:
    for name, text in {
        "a/b/one/x.py": "from rewarp.a.b.top import y\n",
        "a/b/top.py": "from rewarp.a.b.one import x\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert _circles(_needs_of_folders(tmp_path)) == []
    circles = _circles(_needs_of_folders(tmp_path, modules_too=True))
    assert sorted(line.split(" and ")[0] for line in circles) == ["a/b: one", "a/b: top"]


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda f: str(f.relative_to(SOURCE)))
def test_exceptions_are_one_tree(file: Path) -> None:
    """What users meet is a RewarpError, what one part tells another is GaveUp; a class of its own is its module's alone."""
    if file.relative_to(SOURCE).as_posix() in ("errors.py", *IN_PROGRAMS):
        return
    own = [
        node.name
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "Exception" for base in node.bases)
    ]
    assert all(name.startswith("_") for name in own), own
