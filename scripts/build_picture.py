"""Draws the pictures of the documentation: docs/scan.svg, the end of what ``rewarp scan examples/nvidia_project`` prints, and
docs/report.png, the page that ``scripts/demo`` made (needs a Chromium and playwright; left alone where there is no such page).

A test fails where a picture shows another verdict than the scan gives.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import sys
import zlib
from pathlib import Path

from rich.console import Console

from rewarp.api import ScanReport, scan
from rewarp.report import text
from rewarp.report.parts import grouped

ROOT = Path(__file__).parent.parent
_SHOWN = ("PY-CAP-001", "WAV-001", "PY-VER-001")
_PAGE = ROOT / "rewarp-report" / "index.html"
_SIZE = {"width": 1180, "height": 792}


def draw_scan(report: ScanReport) -> None:
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=112, file=nowhere, force_terminal=True)
        console.print("[bold]$ rewarp scan examples/nvidia_project[/bold]")
        console.print("…\n", style="dim")
        for name, findings in grouped(report.findings):
            if name in _SHOWN:
                text.show_group(name, findings, report, console, 2, "rule")
        text.show_works(report, console)
        console.print(text.verdict_panel(report))
    picture = console.export_svg(title="rewarp")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # fonts from elsewhere
    (ROOT / "docs" / "scan.svg").write_text(picture, encoding="utf-8")


def draw_page() -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport=_SIZE, color_scheme="light")
        tab.goto(_PAGE.as_uri())
        said = tab.locator(".verdict p").first.inner_text()
        picture = tab.screenshot()
        browser.close()
    (ROOT / "docs" / "report.png").write_bytes(with_text(picture, said))


def with_text(picture: bytes, said: str) -> bytes:
    """A PNG that says what is to be read in it, before its last chunk."""
    body = b"tEXtDescription\0" + said.encode("latin-1", "replace")
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    end = picture.rindex(b"IEND") - 4
    return picture[:end] + chunk + picture[end:]


def main() -> None:
    os.chdir(ROOT)
    draw_scan(scan("examples/nvidia_project", use_cache=False))
    if _PAGE.exists():
        draw_page()
    else:
        print(f"docs/report.png stays: {_PAGE} is made by scripts/demo", file=sys.stderr)


if __name__ == "__main__":
    main()
