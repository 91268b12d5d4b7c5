"""Translation as a function of Python."""

from __future__ import annotations

from rewarp.errors import UsageError
from rewarp.translation.changes import LAUNCHES, Options, Translation
from rewarp.translation.tree import translate_text


def translate(
    text: str | bytes, *, path: str = "", launch: str = "chevron", runtime_sources: bool = False
) -> Translation:
    """CUDA C++ in HIP. Nothing is read or written.

    ``path`` is what findings call the text; a name that ends in a header's suffix says that it is not compiled on its
    own. ``launch="ggl"`` writes ``hipLaunchKernelGGL`` for ``<<<>>>``. ``runtime_sources`` translates CUDA source in
    raw strings too. Raises UnreadableSource for bytes that are not text.
    """
    if launch not in LAUNCHES:
        raise UsageError(f"launch: {launch!r} is none of {', '.join(LAUNCHES)}")
    try:
        data = text.encode("utf-8") if isinstance(text, str) else text
    except UnicodeEncodeError:
        raise UsageError("the text holds a lone surrogate; give the bytes of the file instead") from None
    (translation,) = translate_text(data, Options(launch, runtime_sources), path).translations
    return translation
