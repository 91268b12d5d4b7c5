"""Views of a comparison of benchmarks for people: the terminal, and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rewarp import escape
from rewarp.bench.comparability import Banner, show_value
from rewarp.bench.compare import Compared, Comparison, Loss, Pair
from rewarp.bench.compare_figures import Figure
from rewarp.report.bench_compare import headline, notes, quantity, sentence, verdict_word

if TYPE_CHECKING:
    from rich.table import Table

    from rewarp.report.console import Console

_STYLES = {"faster": "green", "slower": "bold red", "same": "blue", "can't tell": "yellow", "refused": "bold red"}
_COLUMNS = ("baseline", "run", "ratio", "interval", "verdict")
_MOST_IN_FULL = 4
"""More comparisons than this are shown as one table of their main figures."""


def _cells(figure: Figure) -> tuple[str, str, str, str, str, str]:
    values = figure.baseline.value, figure.run.value
    one, two = (quantity(value, figure.unit, values) for value in values)
    if one.partition(" ")[2] == two.partition(" ")[2]:
        one = one.partition(" ")[0]
    ratio = f"{figure.ratio:.3f}×" if figure.ratio is not None else "–"
    interval = f"{figure.low:.3f} to {figure.high:.3f}" if figure.low is not None else "–"
    return figure.title, one, two, ratio, interval, figure.verdict.value if figure.verdict else ""


def _loss_line(loss: Loss) -> str:
    if loss.difference is None or loss.low is None or loss.high is None:
        return f"loss: {loss.verdict}: {loss.why}"
    interval = f"{loss.low:+.2%} to {loss.high:+.2%}"
    return f"loss: {loss.verdict}, {loss.difference:+.2%} ({interval}); {loss.why}"


def _reasons(pair: Pair) -> Iterator[str]:
    """Why figures have no interval or no ratio, each reason once."""
    titles: dict[str, list[str]] = {}
    for figure in pair.figures:
        if figure.low is None and figure.why:
            titles.setdefault(figure.why, []).append(figure.title)
    yield from (f"{', '.join(named)}: {why}" for why, named in titles.items())


def _told(pair: Pair) -> str:
    """What differs and need not be alike."""
    return ", ".join(
        f"{check.field} ({show_value(check.baseline.value)} against {show_value(check.run.value)})"
        for check in pair.fields
        if not check.must
    )


def _remarks(pair: Pair) -> Iterator[str]:
    yield from _reasons(pair)
    if told := _told(pair):
        yield f"differs, and need not be alike: {told}"
    if pair.loss:
        yield _loss_line(pair.loss)


def _warnings(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Severity and words; what was said of several runs is said once."""
    about: dict[tuple[str, str], list[str]] = {}
    for group in comparison.groups:
        for run in group.runs:
            for warning in run.result.warnings:
                if warning.severity != "info":
                    about.setdefault((warning.severity, warning.what), []).append(run.label)
    for (severity, what), labels in about.items():
        named = labels[0] if len(labels) == 1 else f"{labels[0]} and {len(labels) - 1} more"
        yield severity, f"{severity}: {named}: {what}"


# --- the terminal -------------------------------------------------------------------------


def show(comparison: Comparison, console: Console) -> None:
    from rewarp.report.console import Text

    pairs = list(comparison.pairs)
    if len(pairs) > _MOST_IN_FULL:
        _show_overview(comparison, console)
    else:
        for group, pair in pairs:
            console.print(Text(sentence(group, pair), _STYLES[verdict_word(pair)]), soft_wrap=True)
            _show_banners(pair.banners, console)
            if pair.figures:
                _show_figures(pair, console)
            for line in _remarks(pair):
                console.print(Text(f"  {line}", "dim"), soft_wrap=True)
            console.print()
    for severity, words in _warnings(comparison):
        console.print(Text(words, "red" if severity == "error" else "yellow"), soft_wrap=True)
    for item in comparison.unmatched:
        console.print(Text(f"not compared: {item.label}: {item.why}", "yellow"), soft_wrap=True)
    for note in notes(comparison):
        console.print(Text(note, "dim"), soft_wrap=True)


def _show_banners(banners: Iterable[Banner], console: Console) -> None:
    from rewarp.report.console import Text

    for banner in banners:
        style = "bold red" if banner.kind == "unlike" else "yellow"
        console.print(Text(f"  ! {banner.text}", style), soft_wrap=True)


def _show_overview(comparison: Comparison, console: Console) -> None:
    """Many comparisons: one row each, of the figure that the verdict is about."""
    from rewarp.report.console import Text

    console.print(Text(headline(comparison), "bold"))
    _show_banners(_all_banners(comparison), console)
    for title, rows in _by_file(comparison).items():
        console.print(Text(title), soft_wrap=True)
        table = _table("")
        for name, *cells, word in rows:
            table.add_row(Text(name), *cells, Text(word, _STYLES[word]))
        console.print(table)
    console.print(Text("All figures and reasons: --html, --json.", "dim"))


def _by_file(comparison: Comparison) -> dict[str, list[tuple[str, ...]]]:
    """Rows of main figures: one table for every two files that share benchmarks, or one of all the files."""
    tables: dict[str, list[tuple[str, ...]]] = {}
    alone = len(comparison.groups) == 1
    for group, pair in comparison.pairs:
        first, run = group.runs[0], group.runs[pair.run]
        title = f"against {first.label}" if alone else f"{run.file} against {first.file}"
        cells = _cells(pair.main)[1:5] if pair.main else ("–",) * 4
        tables.setdefault(title, []).append((run.label if alone else first.benchmark, *cells, verdict_word(pair)))
    return tables


def _all_banners(comparison: Comparison) -> Iterator[Banner]:
    """Each banner once, with the runs it is about where it is not about all of them."""
    about: dict[Banner, list[str]] = {}
    pairs = list(comparison.pairs)
    for group, pair in pairs:
        for banner in pair.banners:
            about.setdefault(banner, []).append(group.runs[pair.run].label)
    for banner, labels in about.items():
        named = "" if len(labels) == len(pairs) else f" ({', '.join(labels)})"
        yield Banner(banner.kind, banner.text + named)


def _show_figures(pair: Pair, console: Console) -> None:
    from rewarp.report.console import Text

    table = _table("figure")
    for figure in pair.figures:
        *cells, word = _cells(figure)
        table.add_row(*cells, Text(word, _STYLES.get(word, "")))
    console.print(table)


def _table(first: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    table.add_column(first, overflow="fold")
    for title in ("baseline", "run", "ratio", "interval"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    return table


# --- Markdown -----------------------------------------------------------------------------


def markdown(comparison: Comparison) -> str:
    lines = [f"## rewarp bench: {escape.markdown(headline(comparison))}", ""]
    pairs = list(comparison.pairs)
    if len(pairs) > _MOST_IN_FULL:
        lines += _overview(comparison)
    else:
        for group, pair in pairs:
            lines += _section(group, pair)
    warned = [f"- {escape.markdown(words)}" for _, words in _warnings(comparison)]
    lines += ["### Warnings", "", *warned, ""] if warned else []
    lines += [
        f"- not compared: {escape.markdown(item.label)}: {escape.markdown(item.why)}" for item in comparison.unmatched
    ]
    lines += ["", *(f"- {escape.markdown(note)}" for note in notes(comparison))]
    return "\n".join(lines) + "\n"


def _overview(comparison: Comparison) -> list[str]:
    lines = [f"> **Warning:** {escape.markdown(banner.text)}\n" for banner in _all_banners(comparison)]
    for title, rows in _by_file(comparison).items():
        lines += [
            escape.markdown_row(escape.markdown(title), *_COLUMNS),
            "|---|---:|---:|---:|---:|---|",
        ]
        lines += [escape.markdown_row(*map(escape.markdown, row)) for row in rows]
        lines.append("")
    return lines


def _section(group: Compared, pair: Pair) -> list[str]:
    lines = [f"### {escape.markdown(group.runs[pair.run].label)} against {escape.markdown(group.runs[0].label)}", ""]
    lines += [f"**{escape.markdown(sentence(group, pair))}**", ""]
    lines += [f"> **Warning:** {escape.markdown(banner.text)}\n" for banner in pair.banners]
    if pair.figures:
        lines += [escape.markdown_row("figure", *_COLUMNS), "|---|---:|---:|---:|---:|---|"]
        lines += [escape.markdown_row(*map(escape.markdown, _cells(figure))) for figure in pair.figures]
        lines.append("")
    rest = [f"- {escape.markdown(line)}" for line in _remarks(pair)]
    return [*lines, *rest, ""] if rest else lines
