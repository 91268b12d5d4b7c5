"""Rust files, compared as a build without AMD's features compiles them."""

from __future__ import annotations

import posixpath
import re

from rewarp.errors import GaveUp, UnreadableSource
from rewarp.lang.kinds import Kind
from rewarp.lang.toml import TomlFile
from rewarp.source import SourceFile
from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict, Place, Side
from rewarp.verify.isolation.outcome import Says
from rewarp.verify.isolation.packaging import by_default, extra_users
from rewarp.verify.isolation.rust.siblings import without_rocm

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
    |(?P<raw>b?c?r(?P<marks>\#*)".*?(?:"(?P=marks)|(?P<unclosed_raw>\Z)))
    |(?P<string>b?c?"(?:\\.|[^"\\])*(?:"|(?P<unclosed>\\?\Z)))
    |(?P<char>b?'(?:\\(?:u\{[^}]{0,16}\}|x[0-9a-fA-F]{2}|.)|[^'\\])')
    |(?P<word>\w+)
    |(?P<marks2><<=|>>=|\.\.[.=]|::|->|=>|[-=!<>+*/%^&|]=|&&|\|\||<<|>>|\.\.)
    |(?P<other>.)""",
    re.X | re.S,
)
_DOCUMENTS = re.compile(r"//[/!](?!/)|/\*[*!](?![*/])")
_AMD_FEATURE = re.compile(r'"((?:[\w-]+-)?(?:rocm|hip|amd|amdgpu))"')
_BLOCKS = {"mod", "fn", "struct", "enum", "impl", "trait"}
_STATEMENTS = {"let", "return", "const", "static", "use", "type"}
"""What ends with a semicolon, whatever blocks it holds."""
_ASKS_FOR_TEXT = ("stringify", "line", "column")
_OPEN, _CLOSED = "([{", ")]}"
_GATE = ("#", "[", "cfg", "(", "feature", "=")
_ATTRIBUTE = re.compile(r"#!?\[cfg_attr\(feature=")
_NO_GATE = ("#", "[", "cfg", "(", "not", "(", "feature", "=")
_EITHER = ["any", "(", "feature", "=", ",", "feature", "=", ")"]
"""`any(feature = "a", feature = "b")`, without the names."""
_EVERY_BUILD = ("#", "[", "cfg", "(", "feature", "=", f'"{by_default.FEATURE}"', ")", "]")


class NotRead(GaveUp):
    """The file is not Rust as it is known here."""


def compare_rust(path: str, before: bytes, after: bytes, context: Context) -> FileVerdict:
    said = Says(path, before, after, "tokens with AMD's features off")
    try:
        old, new = _residue(_tokens(before)), _compared(_tokens(before), after, context)
        if _EVERY_BUILD[-3] not in old[0] and _EVERY_BUILD[-3] in new[0] and by_default.in_every_build(path, context):
            new = _without(_EVERY_BUILD, new[0]), new[1]
    except NotRead as error:
        return said(IsolationVerdict.UNPROVABLE, f"cannot be read with certainty: {error}")
    if _plain(old[0]) != _plain(new[0]):
        text = next((f"{a} → {b}" for a, b in zip(old[0], new[0]) if a != b), "one has more than the other")
        return said(
            IsolationVerdict.UNPROVABLE, "what is compiled without AMD's features changed", [Place(None, None, text)]
        )
    if asks := next((word for word, mark in zip(old[0], old[0][1:]) if mark == "!" and word in _ASKS_FOR_TEXT), None):
        return said(
            IsolationVerdict.UNPROVABLE,
            f"{asks}! sees where and how things are written",
            [Place(None, None, f"{asks}!")],
        )
    for feature in sorted(old[1] | new[1]):
        if why := _asked_for(feature, path, context):
            return said(IsolationVerdict.UNPROVABLE, f"the feature {feature} may be on for NVIDIA: {why}")
        context.trees.assume(f"An NVIDIA build does not ask for the cargo feature {feature}.")
    return said(
        IsolationVerdict.IDENTICAL, "without what names only ROCm, and with AMD's features off, the same is compiled"
    )


def _compared(old: list[str], after: bytes, context: Context) -> tuple[list[str], set[str]]:
    """What is left of a file with AMD's features off, and of what names only ROCm where that alone is not what was there."""
    features = set(re.findall(_AMD_FEATURE, after.decode("utf-8", "replace")))
    try:
        new = _residue(_tokens(after))
    except NotRead:
        new = [], features
    if new[0] == _residue(old)[0]:
        return new
    left, widened = without_rocm(after)
    for name in widened:
        context.trees.assume(f"No code outside of this tree matches every variant of {name}: it has one more.")
    return _residue(_tokens(left))[0], new[1] | features


def _without(run: tuple[str, ...], tokens: list[str]) -> list[str]:
    kept: list[str] = []
    for token in tokens:
        kept.append(token)
        if tuple(kept[-len(run) :]) == run:
            del kept[-len(run) :]
    return kept


def _plain(tokens: list[str]) -> list[str]:
    """Without commas before a brace that closes, and the braces around an arm's one call: they say nothing, and rustfmt
    puts them where a line grew."""
    tokens = _unbraced(tokens)
    return [token for token, following in zip(tokens, [*tokens[1:], ""]) if (token, following) != (",", "}")]


def _unbraced(tokens: list[str]) -> list[str]:
    kept: list[str] = []
    at = 0
    while at < len(tokens):
        kept.append(tokens[at])
        at += 1
        if kept[-1] != "=>" or tokens[at : at + 1] != ["{"]:
            continue
        end = _closed(tokens, at)
        inner = tokens[at + 1 : end]
        if _is_call(inner):
            kept += [*_unbraced(inner), ","]
            at = end + 1 + (tokens[end + 1 : end + 2] == [","])
    return kept


def _is_call(tokens: list[str]) -> bool:
    """Whether what stands between braces is one call, of a function or a macro, and nothing else."""
    opening = next((at for at, token in enumerate(tokens) if token in _OPEN), 0)
    path = tokens[: opening - 1] if tokens[opening - 1 : opening] == ["!"] else tokens[:opening]
    is_path = len(path) % 2 == 1 and all(map(str.isidentifier, path[::2])) and set(path[1::2]) <= {"::"}
    return is_path and tokens[opening] != "{" and _closed(tokens, opening) == len(tokens) - 1


def _tokens(data: bytes) -> list[str]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotRead("it is not UTF-8") from None
    found: list[str] = []
    at = 0
    while at < len(text):
        if text.startswith("/*", at):
            at = _comment_end(text, at)
            continue
        match = _TOKEN.match(text, at)
        assert match is not None
        if match["unclosed_raw"] is not None or match["unclosed"] is not None:
            raise NotRead("a string does not end")
        if _DOCUMENTS.match(text, at):  # a macro can read what stands in the documentation
            found.append(match[0].rstrip())
        elif match.lastgroup != "space":
            found.append(match[0])
        at = match.end()
    return found


def _comment_end(text: str, at: int) -> int:
    if _DOCUMENTS.match(text, at):
        raise NotRead("documentation between /** and */")
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, at):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    raise NotRead("a comment does not end")


def _narrowed(tokens: list[str]) -> tuple[list[str], set[str]]:
    """Conditions that hold for a feature or for AMD's, without AMD's; and AMD's."""
    kept: list[str] = []
    features: set[str] = set()
    for token in tokens:
        kept.append(token)
        end = kept[-10:]
        if [*end[:4], *end[5:8], *end[9:]] == _EITHER and (amd := _AMD_FEATURE.fullmatch(end[8])):
            kept[-10:] = end[2:5]
            features.add(amd[1])
    return kept, features


def _residue(tokens: list[str]) -> tuple[list[str], set[str]]:
    """What is left with AMD's features off, and these features."""
    kept: list[str] = []
    tokens, features = _narrowed(tokens)
    at = 0
    while at < len(tokens):
        if _ATTRIBUTE.match("".join(tokens[at : at + 7])) and (end := _attribute_of_amd(tokens, at, features)):
            at = end
            continue
        gate, inverse = tuple(tokens[at : at + 6]) == _GATE, tuple(tokens[at : at + 8]) == _NO_GATE
        size = 6 if gate else 8
        name = tokens[at + size] if (gate or inverse) and at + size < len(tokens) else ""
        closing = tokens[at + size + 1 : at + size + (3 if gate else 4)]
        if not _AMD_FEATURE.fullmatch(name) or closing != ([")", "]"] if gate else [")", ")", "]"]):
            kept.append(tokens[at])
            at += 1
            continue
        features.add(name.strip('"'))
        at += size + 1 + len(closing)
        if gate:
            while kept and re.match(r"//[/!]", kept[-1]):
                kept.pop()  # the documentation of what is left out
            at = _item_end(tokens, at)
    return kept, features


def _attribute_of_amd(tokens: list[str], at: int, features: set[str]) -> int | None:
    """Behind an attribute that is there with a feature of AMD's alone; which item it is for says nothing then."""
    opening = tokens.index("[", at)
    name = _AMD_FEATURE.fullmatch(tokens[opening + 5])
    if name is None or tokens[opening + 6] != ",":
        return None
    features.add(name[1])
    return _closed(tokens, opening) + 1


def _item_end(tokens: list[str], at: int) -> int:
    """Behind the item, statement or field that an attribute stands before."""
    while tokens[at : at + 2] == ["#", "["]:
        at = _closed(tokens, at + 1) + 1
    if tokens[at : at + 1] == ["{"]:
        return _closed(tokens, at) + 1
    if tokens[at + 1 : at + 2] == [":"]:  # a field, or what it is set to
        while at < len(tokens) and tokens[at] not in (",", *_CLOSED):
            at = _closed(tokens, at) + 1 if tokens[at] in _OPEN else at + 1
        return at + (tokens[at : at + 1] == [","])
    item = set(tokens[at : at + 4])
    if not item & _BLOCKS and not item & _STATEMENTS:
        raise NotRead("what an attribute for AMD stands before is not known")
    while at < len(tokens):
        if tokens[at] == ";":
            return at + 1
        if tokens[at] in _CLOSED:
            raise NotRead("an item for AMD does not end")
        if tokens[at] in _OPEN:
            end = _closed(tokens, at)
            if tokens[at] == "{" and not item & _STATEMENTS:
                return end + 1
            at = end
        at += 1
    raise NotRead("an item for AMD does not end")


def _closed(tokens: list[str], at: int) -> int:
    depth = 0
    for index in range(at, len(tokens)):
        depth += (tokens[index] in _OPEN) - (tokens[index] in _CLOSED)
        if depth == 0:
            return index
    raise NotRead("a bracket is not closed")


def _asked_for(feature: str, path: str, context: Context) -> str | None:
    """Where the feature may be turned on without being asked for; None where nothing does."""
    manifest = _manifest(path, "after", context)
    if manifest is None:
        return "its Cargo.toml was not found"
    for side in ("before", "after"):
        for other in context.trees.paths(side):
            if posixpath.basename(other) != "Cargo.toml":
                continue
            try:
                data = TomlFile(SourceFile(other, context.trees.read(other, side) or b""), Kind.CARGO).data
            except UnreadableSource:
                return f"{other} cannot be read"
            if _turns_on(data, feature):
                return f"{other} may turn it on"
    return extra_users.feature(feature, context.trees)


def _turns_on(data: dict[str, object], feature: str) -> bool:
    """By default, or in every build of a crate that depends on it."""
    features = data.get("features")
    features = features if isinstance(features, dict) else {}
    reached, waiting = set[str](), list(features.get("default", ()))
    while waiting:
        name = str(waiting.pop())
        if name not in reached:
            reached.add(name)
            waiting += features.get(name, ())
    if any(name == feature or name.endswith(f"/{feature}") for name in reached):
        return True
    return any(
        table.endswith("dependencies") and isinstance(crates, dict) and _lists(crates, feature)
        for part in (data, data.get("workspace"), *_targets(data))
        if isinstance(part, dict)
        for table, crates in part.items()
    )


def _lists(crates: dict[str, object], feature: str) -> bool:
    return any(isinstance(crate, dict) and feature in (crate.get("features") or ()) for crate in crates.values())


def _targets(data: dict[str, object]) -> list[object]:
    found = data.get("target")
    return list(found.values()) if isinstance(found, dict) else []


def _manifest(path: str, side: Side, context: Context) -> str | None:
    folder = posixpath.dirname(path)
    while True:
        candidate = posixpath.join(folder, "Cargo.toml")
        if candidate in context.trees.after.entries:
            return candidate
        if not folder:
            return None
        folder = posixpath.dirname(folder)
