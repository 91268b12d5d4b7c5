"""The three tables that a fleet's results are, column by column: their types in Parquet and DuckDB, and their meaning."""

from __future__ import annotations

from typing import Any

from rewarp.fleet.request import Column, Table

_TEXT, _WHOLE, _NUMBER, _YES, _TIME = "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "TIMESTAMP"

RUNS = Table(
    "runs",
    {
        "run": Column(_TEXT, "when it began, in UTC; names the run"),
        "started": Column(_TIME, "in UTC"),
        "finished": Column(_TIME, "in UTC; of a run that was killed, when what went on with it ended"),
        "rewarp": Column(_TEXT, "rewarp's version"),
        "code": Column(_TEXT, "digest of rewarp's code, rules and tables, of plugins, and of Python's version"),
        "target": Column(_TEXT, "`rocm` or `gaudi`"),
        "options": Column(_TEXT, "what else was asked for, as JSON"),
        "place": Column(_TEXT, "where the work was done: processes of this machine, or a Ray cluster"),
        "repositories": Column(_WHOLE, "how many were asked for"),
        "done": Column(_WHOLE, "how many could be looked at"),
        "reused": Column(_WHOLE, "of these, how many had been looked at before, just so"),
        "seconds": Column(_NUMBER, "from the beginning, or the last resumption, to the end"),
    },
)
WORK = Table(
    "work",
    {
        "submodules": Column(_WHOLE, "submodules of the commit; none is fetched, so what is in them was not looked at"),
        "conclusion": Column(_TEXT, "the verdict, as `rewarp scan` gives it"),
        "headline": Column(_TEXT, "the verdict in a sentence"),
        "better": Column(_TEXT, "what would have to be true for the next better verdict"),
        "support": Column(_YES, "whether the project supports the target already"),
        "approach": Column(_TEXT, "what to do with CUDA C++, where there is any"),
        "files": Column(_WHOLE, "files that were read"),
        "lines": Column(_WHOLE, "their lines"),
        "unread": Column(_WHOLE, "files that could not be read or parsed: nothing is known of them"),
        "findings": Column(_WHOLE, "all findings, notes too"),
        "in_the_way": Column(
            _WHOLE, "findings that the conclusion rests on: the build breaks, it crashes, results are wrong"
        ),
        "rewrites": Column(_WHOLE, "places that have to be written anew"),
        "left_lines": Column(
            _NUMBER, "lines that a person changes after the automatic port, as people's ports came to"
        ),
        "left_files": Column(_WHOLE, "in so many files"),
        "whole_lines": Column(_NUMBER, "lines that a person would change without it"),
        "port_done": Column(
            _YES, "whether the port left nothing to a person and proved NVIDIA untouched; null: not asked for"
        ),
        "port_files": Column(_WHOLE, "files that the port changes or adds"),
        "port_left": Column(_WHOLE, "what the port leaves to a person, and findings that still stand in the way"),
        "patch": Column(_TEXT, "the port, as a file in the folder of results"),
        "verify_static": Column(_TEXT, "passed, failed or not checked; null: not asked for"),
        "verify_build": Column(_TEXT, "the same; device code compiled for AMD"),
        "verify_isolation": Column(_TEXT, "the same; whether NVIDIA users can notice the port"),
        "verify_machine": Column(_TEXT, "the same; programs run as AMD code on the emulator"),
        "checks_passed": Column(_WHOLE, "checks of all levels that passed"),
        "checks_failed": Column(_WHOLE, "checks that failed"),
        "checks_not_made": Column(_WHOLE, "checks that could not be made"),
        "verify_why": Column(
            _TEXT, "the first check that failed on each level, and why; or why no port could be written"
        ),
    },
)
"""What work on a commit brings, whoever asked for it."""
REPOSITORIES = Table(
    "repositories",
    {
        "run": Column(_TEXT, "the run"),
        "repository": Column(_TEXT, "its name: once in every run"),
        "source": Column(_TEXT, "its address, or path"),
        "revision": Column(_TEXT, "the branch, tag or commit that was asked for; null: the default branch"),
        "commit": Column(_TEXT, "the commit that was looked at"),
        "status": Column(_TEXT, "`done`, `refused`, `failed`, `time limit`, `memory limit` or `crashed`"),
        "reason": Column(_TEXT, "why it is not `done`"),
        "reused": Column(_YES, "whether the same work had been done before"),
        "key": Column(_TEXT, "of the work: the same key, the same answer"),
        "host": Column(_TEXT, "the machine that looked"),
        "seconds": Column(_NUMBER, "from the first question to git to the last result"),
        "cpu_seconds": Column(_NUMBER, "processor time of its processes; null where they were killed"),
        "peak_bytes": Column(_WHOLE, "the most memory that its processes held at once, as far as it was seen"),
        **WORK.columns,
    },
)
FINDINGS = Table(
    "findings",
    {
        "run": Column(_TEXT, "the run"),
        "repository": Column(_TEXT, "the repository's name"),
        "rule": Column(_TEXT, "the rule's id; `rewarp explain` tells more"),
        "title": Column(_TEXT, "the rule's title"),
        "severity": Column(_TEXT, "crash, build-fail, wrong-result, runs-on-cpu, perf or info"),
        "level": Column(_TEXT, "error, warning or note"),
        "phase": Column(_TEXT, "the phase of a port it belongs to"),
        "effort": Column(_TEXT, "none, minutes, hours or rewrite"),
        "safety": Column(_TEXT, "whether there is an automatic fix, and how safe it is"),
        "standing": Column(_TEXT, "counts, install, aside or not built: how it counts for the verdict"),
        "in_the_way": Column(_YES, "whether the conclusion rests on it"),
        "path": Column(_TEXT, "the file"),
        "line": Column(_WHOLE, "the line, from 1"),
        "column": Column(_WHOLE, "the column, from 1"),
        "symbol": Column(_TEXT, "the name it is about, where it is about one"),
        "message": Column(_TEXT, "what happens there"),
        "fix": Column(_TEXT, "what to do"),
        "snippet": Column(_TEXT, "the line's text, cut at 400 characters"),
        "fingerprint": Column(_TEXT, "the same finding in another run, wherever its line has gone"),
    },
)
TABLES = (RUNS, REPOSITORIES, FINDINGS)


def arrow_schema(table: Table) -> Any:
    """The table in Parquet."""
    import pyarrow as pa

    types = {
        _TEXT: pa.string(),
        _WHOLE: pa.int64(),
        _NUMBER: pa.float64(),
        _YES: pa.bool_(),
        _TIME: pa.timestamp("us"),
    }
    return pa.schema([(name, types[column.type]) for name, column in table.columns.items()])
