"""The pages that people read: links lead somewhere, and what is shown as run is in a form that can be run again."""

from __future__ import annotations

import html
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from rewarp.api import scan
from rewarp.cli import _COMMANDS

ROOT = Path(__file__).parents[2]


def _loaded(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


run_docs = _loaded("run_docs")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/guides/*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if "://" not in target and not target.startswith(("#", "mailto:")):
            assert (page.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", run_docs.PAGES, ids=lambda page: page.name)
def test_what_is_shown_was_run(page: Path) -> None:
    """Every block that looks like a terminal is one that scripts/run_docs.py runs, and holds commands and output."""
    text = page.read_text("utf-8")
    fences = re.findall(r"^```console.*$", text, re.MULTILINE)
    blocks = list(run_docs._BLOCK.finditer(text))
    assert len(blocks) == len(fences)
    for block in blocks:
        assert run_docs.commands(block[2])
        assert block[2].startswith("$ ")
        assert "```" not in block[2]


def test_every_page_is_in_the_site() -> None:
    """MkDocs has it too, with --strict; here without MkDocs."""
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    listed = set(re.findall(r"[\w/-]+\.md", yaml.dump(yaml.safe_load(site)["nav"])))
    pages = {
        str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "rules"
    }
    assert pages | {"rules/README.md"} == listed


def test_every_command_has_a_page_among_the_commands() -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    (listed,) = [entry["Commands"] for entry in nav if "Commands" in entry]
    titles = {title: page for entry in listed for title, page in entry.items()}
    for command in _COMMANDS:
        text = (ROOT / "docs" / titles[command]).read_text("utf-8")
        assert f"rewarp {command}" in text, command


def test_outputs_replace_outputs() -> None:
    page = 'a\n\n```console\n$ echo one\nold\n$ echo two; exit 3\n```\n\n```console title="slow"\n$ echo three\n```\n'
    done = 'a\n\n```console\n$ echo one\none\n$ echo two; exit 3\ntwo\n```\n\n```console title="slow"\n$ echo three\n'
    assert run_docs.filled(page, quick=True) == done + "```\n"
    assert run_docs.filled(page, quick=False) == done + "three\n```\n"


def test_the_pictures_show_what_a_scan_says_today() -> None:
    """Made by scripts/build_picture.py: the terminal as SVG, and the page as PNG with a note of the headline in it."""
    headline = scan(ROOT / "examples" / "nvidia_project", use_cache=False).verdict.headline
    drawn = html.unescape("".join(re.findall(r">([^<>]*)</text>", (ROOT / "docs" / "scan.svg").read_text("utf-8"))))
    assert headline in drawn.replace("\xa0", " "), "docs/scan.svg is stale"
    noted = re.search(rb"tEXtDescription\0([^\0]*)\.", (ROOT / "docs" / "report.png").read_bytes())
    assert noted, "docs/report.png does not say what it shows"
    assert headline in f"{noted[1].decode('latin-1')}.", "docs/report.png is stale"


def test_a_bar_in_a_table_has_no_backslash_on_the_site() -> None:
    hooks = _loaded("site_links")
    cell = "<td><code>--target rocm\\|gaudi</code> a \\| b</td><pre><code>x \\| y</code></pre>"
    shown = "<td><code>--target rocm|gaudi</code> a \\| b</td><pre><code>x \\| y</code></pre>"
    assert hooks.on_page_content(cell, None, None, None) == shown
    assert hooks.on_page_markdown("[a](../src/a.py) [b](scan.md)", None, None, None) == "a [b](scan.md)"


def test_copying_a_terminal_of_the_site_takes_its_commands() -> None:
    hooks = _loaded("site_links")
    lines = '<span class="gp">$ </span>a <span>&lt;</span>&quot;b&quot;\n<span class="go">out</span>\n<span class="gp">$ </span>c\n'
    for before in ("<pre><span></span>", '<span class="filename">slow</span><pre><span></span>', "<pre>"):
        made = hooks.on_page_content(
            f'<div class="highlight">{before}<code>{lines}</code></pre></div>', None, None, None
        )
        assert made.startswith('<div class="highlight" data-copy="a &lt;&quot;b&quot;\nc">'), made
    other = '<div class="highlight"><pre><span></span><code>$ a</code></pre></div><p>$ <span class="gp">x</span></p>'
    assert hooks.on_page_content(other, None, None, None) == other
