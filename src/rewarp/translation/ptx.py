"""Inline PTX: what has a form in HIP becomes it, what AMD's hardware does in another way is named, the rest is reported."""

from __future__ import annotations

from functools import lru_cache

from rewarp.findings import Effort
from rewarp.lang.cpp.conditions import Macro, fold_directive
from rewarp.lang.cpp.file import CodeFile, Directive
from rewarp.lang.cpp.lexer import whole_line
from rewarp.lang.kinds import Kind
from rewarp.source import SourceFile, Span
from rewarp.translation import ptx_table
from rewarp.translation.changes import Changes, Problem, Replacement
from rewarp.translation.nvidia_equivalent import macros
from rewarp.translation.ptx_forms import Form, form_of
from rewarp.translation.ptx_reader import Statement, Unreadable, read, statement_end
from rewarp.translation.ptx_types import NoForm
from rewarp.translation.reported_rules import INLINE_PTX
from rewarp.translation.span_set import Places

_BY_HAND = "Write it in C++ or with an AMD builtin; AMD's assembler does not take PTX."


def translate_ptx(document: CodeFile, places: list[int]) -> Changes:
    """Replaces what has a form and reports the rest."""
    changes = Changes()
    view = document.source.view
    for at in places:
        end = statement_end(view, at)
        text = view[at:end] if end else b""
        form = _form(text)
        if isinstance(form, Form) and end:
            changes.replacements.append(Replacement(at, end, _written(view, at, text, form)))
            changes.problems += [_differs(at, text, sentence) for sentence in form.differs]
        elif not _is_of_others(text):
            changes.problems.append(_missing(at, text, str(form)))
    return changes


def _written(view: bytes, at: int, text: bytes, form: Form) -> bytes:
    """In one line, or over several where the statement was; the body of a macro has to end its lines itself."""
    new = form.text
    if b"\n" in text and b"\\\n" not in text and b"\\\r" not in text:
        line = view[view.rfind(b"\n", 0, at) + 1 : at]
        indent = line[: len(line) - len(line.lstrip())].decode("ascii", "replace")
        end = "\r\n" if b"\r\n" in text else "\n"
        new = form.written(f"{end}{indent}  ", f"{end}{indent}")
    return new.encode("utf-8", "surrogateescape")


def understood(view: bytes, at: int) -> bool:
    """Whether the asm statement at a place has a form in HIP, or is none of NVIDIA's."""
    end = statement_end(view, at)
    return bool(end) and (isinstance(_form(view[at:end]), Form) or _is_of_others(view[at:end]))


def hip_form(asm_statement: str) -> str | None:
    """An asm statement (from its ``asm`` to its ``)``) in HIP, without its ``;``. None where it has no form.
    The text needs the support header where it says ``rewarp_``."""
    form = _form(asm_statement.strip().rstrip(";").rstrip().encode("utf-8", "surrogateescape"))
    return form.text if isinstance(form, Form) else None


@lru_cache(maxsize=1024)
def _form(text: bytes) -> Form | NoForm | Unreadable:
    try:
        return form_of(read(settled(text) if b"#" in text else text))
    except (NoForm, Unreadable) as reason:
        return reason.with_traceback(None)  # it is kept, its frames need not be


def settled(text: bytes) -> bytes:
    """A statement without the lines that an ``#if`` on NVIDIA's toolkit leaves out for the closest one; as it is where
    one cannot be told."""
    document = CodeFile(SourceFile("", text), Kind.CUDA)
    lines = [whole_line(text, test.where) for test in document.directives]
    paired = sum(len(one.arms) + 1 for one in document.every_conditional())
    if not len(document.hiding.lines) == len(lines) == paired:  # a branch that ends elsewhere, or a #define
        return text
    branches = document.branches_by(_holds)
    gone = [branch.where for branch in branches if branch.compiled is False]
    dropped = Places(gone)
    if any(branch.compiled is None and branch.where.start not in dropped for branch in branches):
        return text
    return _without(text, [*lines, *gone])


def _holds(test: Directive) -> bool | None:
    return fold_directive(test.word, test.condition, _macro)


def _without(text: bytes, gone: list[Span]) -> bytes:
    kept, at = b"", 0
    for span in sorted(gone):
        kept += text[at : max(at, span.start)]
        at = max(at, span.end)
    return kept + text[at:]


def _macro(name: str) -> Macro:
    return macros().get(name)


def _read(text: bytes) -> Statement | None:
    try:
        return read(text)
    except Unreadable:
        return None


def _is_of_others(text: bytes) -> bool:
    """Whether it is the assembly of a processor: a file with device code may hold some for the host."""
    statement = _read(text)
    return statement is not None and bool(statement.instructions) and not statement.is_ptx


def _differs(at: int, text: bytes, sentence: str) -> Problem:
    return Problem(
        INLINE_PTX, Span(at, at + 3), "noted", f"inline PTX: {sentence}", "Check that it suits.", _name(text)
    )


def _missing(at: int, text: bytes, reason: str) -> Problem:
    statement = _read(text)
    where = Span(at, at + max(len(text), 3))
    for instruction in statement.instructions if statement else ():
        family = ptx_table.family(instruction)
        if family:
            message = f"inline PTX: {family.name}"
            return Problem(INLINE_PTX, where, "unsupported", message, family.way, instruction.name, Effort.REWRITE)
    return Problem(INLINE_PTX, where, "unsupported", f"inline PTX: {reason}", _BY_HAND, _name(text))


def _name(text: bytes) -> str:
    """What a statement is about: a register that it reads, or its instruction."""
    statement = _read(text)
    if statement is None or not statement.instructions:
        return ""
    read = [operand.lstrip("%") for one in statement.instructions for operand in one.operands]
    special = next((f"%{name}" for name in read if name in ptx_table.registers()), "")
    names = [one.name for one in statement.instructions]
    return special or next((name for name in names if not name.startswith(("mov.", "setp."))), names[0])
