"""CU-005: inline PTX."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.fixes import SourceFix
from rewarp.lang.cpp.file import CodeFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.rules.shapes.cuda import KINDS, Guard, arch_guard, is_device_code, listed
from rewarp.source import Span
from rewarp.targets import Context

_ASM = re.compile(rb"\b(?:asm|__asm__|__asm)\b\s*(?:(?:volatile|__volatile__|inline)\b\s*)*\(")
_OPCODES = (
    "abs activemask add addc and applypriority atom bar barrier bfe bfi bfind bmsk bra brev clusterlaunchcontrol clz cnot "
    "copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 fence fma fns getctarank griddepcontrol isspacep "
    "ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix mul mul24 multimem "
    "nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem rsqrt sad selp set setmaxnreg setp shf shfl "
    "shl shr sin slct sqrt st stmatrix sub subc suld sust szext tanh tcgen05 tensormap testp tex tld4 txq vabsdiff vote "
    "wgmma wmma xor"
)
# A suffix that only PTX has; other assemblers have dotted names too (`fence.i`, `add.w`).
_SUFFIX = (
    r"(?:[busf](?:8|16|32|64|128)|b1|f16x2|bf16(?:x2)?|tf32|e[45]m[0-9](?:x[24])?|pred|sync|async|aligned|shared|global|local"
    r"|const|param|gl|cta|sys|cluster|gpu|acq_rel|acquire|release|relaxed|sc|proxy|mbarrier\w*|approx|ftz|rn|rz|lo|hi|wide"
    r"|sat|to|x4|x2|uni|ballot|any|all|wait|launch_dependents|inc|dec|arrive|init|inval|L1|L2)"
)
_INSTRUCTION = re.compile(
    rf"(?<![\w.%$])(?:{'|'.join(_OPCODES.split())})(?:\.[\w]+(?:::\w+){{0,4}}){{0,24}}?\.{_SUFFIX}(?![\w])(?:::\w+)*(?:\.\w+(?:::\w+)*)*"
)
_BARE = re.compile(r"(?:^|[;{\n][^\S\n]*)(trap|exit|brkpt|ret)\s*;")
_REGISTER = re.compile(
    r"%{1,2}(laneid|warpid|smid|nsmid|gridid|lanemask_\w+|globaltimer\w*|clock(?:64|_hi)?|n?clusterid|cluster_\w+|dynamic_smem_size)\b"
)
_HARD = re.compile(
    r"(wg|w)?mma|(ld|st|mov)matrix|tcgen05|mbarrier|setmaxnreg|multimem|tensormap|mapa|getctarank|elect|clusterlaunchcontrol"
    r"|griddepcontrol|cp\.async.*|barrier\.cluster.*|fence\.proxy.*|createpolicy"
)
# These change no result: what to fetch early, how many registers, when the next kernel may start.
_HINT = re.compile(r"griddepcontrol|setmaxnreg|prefetch|discard|applypriority")


@rule(
    id="CU-005",
    title="Inline PTX",
    kinds=KINDS,
    anchors=["asm", "__asm__", "__asm"],
    phase=Phase.ARCHITECTURE,
    rocm=Impact(
        Severity.BUILD,
        why="PTX is NVIDIA's instruction set: the AMD assembler rejects it, at the latest when the kernel is assembled.",
        fix="Give the function a HIP branch: a builtin or plain C++ for simple instructions (__lane_id(), __builtin_amdgcn_perm), "
        "a matrix-core or copy design of its own (rocWMMA, Composable Kernel, MFMA builtins) for the tensor ones.",
        safety=Safety.DISPLAY_ONLY,
        effort=Effort.HOURS,
    ),
    example='asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));',
    source="https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_porting_guide.html",
    traits=[Trait.INLINE_PTX, Trait.REWRITE],
    fix=SourceFix(),
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for asm statements whose text holds PTX instructions, and names them."""
    literals = iter(document.literals)
    literal = next(literals, None)
    device = is_device_code(document)
    for found in _ASM.finditer(document.code):
        end = document.closing(found.end() - 1)
        texts = []
        while literal and literal.where.start < end:
            if literal.where.start >= found.start():
                texts.append(literal.text)
            literal = next(literals, None)
        text = "".join(texts).replace("\\n", "\n").replace("\\t", " ")
        names = list(dict.fromkeys(_short(m[0]) for m in _INSTRUCTION.finditer(text)))
        registers = list(dict.fromkeys(_REGISTER.findall(text)))
        if device and not names:
            names = _BARE.findall(text)
        if not names:
            continue
        hard = [name for name in names if _HARD.fullmatch(name) or _HARD.fullmatch(name.partition(".")[0])]
        what = listed(hard or names) + (f" reading %{listed(registers)}" if registers else "")
        note = ", which AMD hardware does in another way" if hard else ""
        severity = None
        guard = arch_guard(document, context, found.start())
        if guard is Guard.ELSE or (guard is Guard.EXTRA and all(_HINT.match(name) for name in names)):
            severity, note = Severity.INFO, "; HIP skips this branch"
        elif guard is Guard.NOTHING:
            severity, note = Severity.WRONG, "; HIP skips this branch and has nothing in its place"
        elif guard is Guard.GIVES_UP:
            severity, note = Severity.CRASH, "; HIP compiles the #else branch, which gives up"
        yield Hit(
            Span(found.start(), end),
            f"inline PTX: {what}{note}",
            (hard or names)[0],
            severity=severity,
            effort=Effort.REWRITE if hard else Effort.HOURS,
        )


def _short(instruction: str) -> str:
    """``mma.sync`` for ``mma.sync.aligned.m16n8k16...``, ``cp.async.bulk`` with its third part."""
    parts = instruction.replace("::", ".").split(".")
    return ".".join(parts[:3] if parts[:2] == ["cp", "async"] and "bulk" in parts[2:3] else parts[:2])
