"""Draws docs/scan.svg: the end of what ``rewarp scan examples/nvidia_project`` prints."""

from __future__ import annotations

import os
import re
from pathlib import Path

from rich.console import Console

from rewarp.api import scan
from rewarp.report import text

ROOT = Path(__file__).parent.parent
_SHOWN = ("PY-CAP-001", "WAV-001", "PY-VER-001")


def main() -> None:
    os.chdir(ROOT)
    report = scan("examples/nvidia_project", use_cache=False)
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=112, file=nowhere, force_terminal=True)
        console.print("[bold]$ rewarp scan examples/nvidia_project[/bold]")
        console.print("…\n", style="dim")
        for name, findings in text.grouped(report, "rule"):
            if name in _SHOWN:
                text.show_group(name, findings, report, console, 2, "rule")
        text.show_works(report, console)
        console.print(text.verdict_panel(report))
    picture = console.export_svg(title="rewarp")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # fonts from elsewhere
    (ROOT / "docs" / "scan.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
