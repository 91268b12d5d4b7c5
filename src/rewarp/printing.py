"""The one place that prints. What is printed is shown, and cannot steer the terminal it is shown on."""

from __future__ import annotations

import codecs
import sys

from rewarp.escape import visible, visible_but

_CLEAR_LINE = "\r\x1b[K"
_program_output = codecs.getincrementaldecoder("utf-8")("surrogateescape")


def say(*lines: str) -> None:
    """Lines on standard output."""
    for line in lines:
        print(visible(line))


def tell(*lines: str) -> None:
    """Lines on standard error, where what is no result goes."""
    for line in lines:
        print(visible(line), file=sys.stderr, flush=True)


def write(text: str, aside: bool = False) -> None:
    """A text of many lines on standard output, or on standard error."""
    (sys.stderr if aside else sys.stdout).write("\n".join(map(visible, text.split("\n"))))


def progress(line: str = "", stays: bool = False) -> None:
    """A line on standard error in place of the one before it, for a terminal; none at all where it is empty."""
    print(f"{_CLEAR_LINE}{visible(line)}", end="\n" if stays else "\r", file=sys.stderr, flush=True)


def emit(data: bytes) -> None:
    """A product on standard output: code, a patch.

    Into a file or a pipe goes every byte as it is. A terminal would obey the bytes, and nobody compiles or applies what
    it shows: there, what is hidden is written out.
    """
    sys.stdout.flush()
    if sys.stdout.isatty():
        data = visible_but(data.decode("utf-8", "surrogateescape").replace("\r\n", "\n"), "\n\t").encode()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def pass_on(chunk: bytes) -> None:
    """A program's output is progress: it goes to standard error, so that a report may have standard output.

    A file or a pipe gets the bytes. On a terminal line ends, tabs and the returns of progress bars are obeyed, nothing
    else: the program writes to a pipe, so that one with manners sends no colours, and what it prints of its data may be
    anything.
    """
    try:
        if sys.stderr.isatty():
            # The decoder keeps a character that was cut in two for the next chunk.
            chunk = visible_but(_program_output.decode(chunk), "\n\t\r").encode()
        sys.stderr.buffer.write(chunk)
        sys.stderr.buffer.flush()
    except (OSError, ValueError, AttributeError):
        return
