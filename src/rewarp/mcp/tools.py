"""The tools: arguments in, one confined process, a small typed answer out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import ListRoots, Resolve
from mcp_types import ListRootsResult, ToolAnnotations
from pydantic import Field

from rewarp.errors import RewarpError
from rewarp.mcp import answers, results
from rewarp.mcp.calls import OUT, Done, Job, call
from rewarp.mcp.roots import Roots

_REPORT = f"{OUT}/report.json"
Where = Annotated[str, Field(description="a file or folder in the folders of this server; '.' is the first of them")]
Platform = Literal["rocm", "gaudi"]
Limit = Annotated[int, Field(ge=1, le=200, description="how many items at most; the rest is behind the cursor")]
Cursor = Annotated[str | None, Field(description="the cursor of the answer before, with the same arguments")]
Severities = Literal["info", "perf", "wrong-result", "build-fail", "crash"]
Levels = Literal["static", "build", "machine", "isolation"]
PhaseName = Literal[
    "environment", "detection", "translation", "architecture", "build", "libraries", "compile", "graphs", "verification"
]


async def client_roots(context: Context) -> ListRootsResult | ListRoots:
    """The folders that the client means, where it says that it has such."""
    capabilities = context.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return ListRootsResult(roots=[])
    return ListRoots()


Narrowed = Annotated[ListRootsResult, Resolve(client_roots)]


class Tools:
    """What a server was started with. It holds nothing else: every call begins anew."""

    def __init__(self, roots: Roots, *, confined: bool, may_run: bool) -> None:
        self.roots, self.confined, self.may_run = roots, confined, may_run

    def narrowed(self, narrowed: Any, context: Any) -> Roots:
        capabilities = context.client_capabilities
        if capabilities is None or capabilities.roots is None:
            return self.roots
        return self.roots.narrowed(str(root.uri) for root in narrowed.roots)

    async def do(self, job: Job, context: Any) -> Done:
        async def progress(seconds: float, message: str) -> None:
            await context.report_progress(seconds, None, message)

        return await call(job, self.confined, progress)

    # --- reading ------------------------------------------------------------------------

    async def scan(
        self,
        path: Where,
        context: Context,
        narrowed: Narrowed,
        target: Platform = "rocm",
        torch: str | None = None,
        rocm: str | None = None,
        arch: str | None = None,
        min_severity: Severities = "perf",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> results.Scan:
        """Will this repository run on AMD ROCm (or Intel Gaudi)? The verdict, counts, phases, and the worst findings first.
        Runs nothing of it."""
        with _told():
            roots = self.narrowed(narrowed, context)
            words = ["scan", roots.find(path), f"--json={_REPORT}", "-q", f"--target={target}"]
            words += [
                f"--{name}={value}" for name, value in (("torch", torch), ("rocm", rocm), ("arch", arch)) if value
            ]
            done = await self.do(Job(words, roots), context)
            return answers.scan(done.report(), min_severity, limit, cursor)

    async def project(
        self,
        path: Where,
        context: Context,
        narrowed: Narrowed,
        target: Platform = "rocm",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> results.Project:
        """What is this repository: roles of its files, what the builds for NVIDIA and for the target compile, and whether it
        supports the target already. Runs nothing of it."""
        with _told():
            roots = self.narrowed(narrowed, context)
            words = ["project", roots.find(path), f"--json={_REPORT}", f"--target={target}"]
            return answers.project((await self.do(Job(words, roots), context)).report(), limit, cursor)

    async def translate(
        self, path: Where, context: Context, narrowed: Narrowed, limit: Limit = 20, cursor: Cursor = None
    ) -> results.Translation:
        """A CUDA C++ file as HIP, with everything that has no twin; for a folder the counts and problems alone. Writes nothing."""
        from os.path import isdir

        with _told():
            roots = self.narrowed(narrowed, context)
            real = roots.find(path)
            to = f"{OUT}/mirror" if isdir(real) else f"{OUT}/translated"
            done = await self.do(Job(["translate", real, f"--output={to}", f"--json={_REPORT}", "-q"], roots), context)
            return answers.translation(done, limit, cursor)

    async def waves(
        self, path: Where, context: Context, narrowed: Narrowed, limit: Limit = 20, cursor: Cursor = None
    ) -> results.Waves:
        """What counts on warps of 32 lanes and breaks on AMD's 64, with the fix that is right on both. Writes nothing."""
        with _told():
            roots = self.narrowed(narrowed, context)
            done = await self.do(Job(["waves", roots.find(path), f"--json={_REPORT}", "-q"], roots), context)
            return answers.waves(done.report(), limit, cursor)

    async def parity(
        self,
        path: Where,
        context: Context,
        narrowed: Narrowed,
        a: str = "cuda",
        b: str = "rocm",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> results.Parity:
        """Two back ends of one code base, unit by unit: what the second lacks, what users hit first. Runs nothing of it."""
        with _told():
            roots = self.narrowed(narrowed, context)
            words = ["parity", "compare", roots.find(path), f"--a={a}", f"--b={b}", f"--json={_REPORT}", "-q"]
            return answers.parity((await self.do(Job(words, roots), context)).report(), limit, cursor)

    def explain(
        self, rule: Annotated[str, Field(description="a rule's id, PY-VER-001 for instance")]
    ) -> results.Explained:
        """One rule: what it looks for, why, what to do, its source, and what the port does about it."""
        with _told():
            return answers.explained(rule)

    # --- the port -----------------------------------------------------------------------

    async def port_plan(
        self,
        path: Where,
        context: Context,
        narrowed: Narrowed,
        phases: list[PhaseName] | None = None,
        target: Platform = "rocm",
        show: Literal["changes", "manual", "patch"] = "changes",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> results.Plan:
        """What a port would change, what it leaves to a person, or the patch, for all phases or some; with the hash that
        port_apply wants. Writes nothing."""
        with _told():
            roots = self.narrowed(narrowed, context)
            words = ["port", roots.find(path), f"--output={OUT}/patch", f"--json={_REPORT}", "-q", f"--target={target}"]
            done = await self.do(Job([*words, *_phases(phases)], roots), context)
            return answers.plan(done, show, limit, cursor)

    async def port_apply(
        self,
        path: Where,
        plan: Annotated[str, Field(description="the hash that port_plan gave for the same path, phases and target")],
        context: Context,
        narrowed: Narrowed,
        phases: list[PhaseName] | None = None,
        target: Platform = "rocm",
    ) -> results.Applied:
        """Writes a plan into the tree. Refuses where the tree, the phases or the target are not those of the plan, and where git
        could not bring files back. `rewarp port --undo` takes it back."""
        with _told():
            roots = self.narrowed(narrowed, context)
            real = roots.find(path)
            words = ["port", real, "--in-place", f"--plan={plan}", f"--json={_REPORT}", "-q", f"--target={target}"]
            done = await self.do(Job([*words, *_phases(phases)], roots, writes=real), context)
            return answers.applied(done.report())

    # --- evidence -----------------------------------------------------------------------

    async def verify(
        self,
        path: Where,
        context: Context,
        narrowed: Narrowed,
        levels: list[Levels] | None = None,
        base: Annotated[str | None, Field(description="a git revision, for the isolation level")] = None,
        arch: str | None = None,
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> results.Verification:
        """Evidence that a port is right: static (default), build (device code compiled for AMD), machine (the tree's programs run
        as AMD code on an emulator; the server must allow it), isolation (NVIDIA untouched since `base`). Not checked is not
        passed."""
        with _told():
            wanted = levels or ["static"]
            machine = "machine" in wanted
            if machine:
                self._refuse_to_run()
            roots = self.narrowed(narrowed, context)
            words = ["verify", "all", roots.find(path), f"--only={','.join(wanted)}", f"--json={_REPORT}", "-q"]
            words += [f"--base={base}"] if base else []
            words += [f"--arch={arch}"] if arch else []
            done = await self.do(Job([*words, *(["--machine"] if machine else [])], roots, runs_code=machine), context)
            return answers.verification(done.report(), limit, cursor)

    async def run(
        self,
        files: Annotated[list[str], Field(min_length=1, description="CUDA or HIP sources, or one executable")],
        context: Context,
        narrowed: Narrowed,
        arguments: list[str] | None = None,
        arch: str = "gfx942",
        compare: Annotated[
            str | None, Field(description="two architectures, gfx942,gfx1100: where outputs part")
        ] = None,
        time_limit: Annotated[int, Field(ge=1, le=3600)] = 120,
        limit: Limit = 20,
    ) -> results.Run:
        """Runs a CUDA or HIP program as AMD machine code on this CPU, under watch. Its host code runs, confined to the folders of
        this server: the server must allow it."""
        with _told():
            self._refuse_to_run()
            roots = self.narrowed(narrowed, context)
            words = ["run", *map(roots.find, files), f"--time-limit={time_limit}", f"--json={_REPORT}", "-q"]
            words += [f"--compare={compare}"] if compare else [f"--arch={arch}"]
            words += ["--", *arguments] if arguments else []
            return answers.run(await self.do(Job(words, roots, runs_code=True), context), limit)

    def _refuse_to_run(self) -> None:
        if not self.may_run:
            raise ToolError("this server runs no code of a project: it was started without --allow-run")


class _told:
    """An error of rewarp's is the tool's answer, in its own words."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, RewarpError):
            raise ToolError(str(error)) from None


def _phases(phases: list[PhaseName] | None) -> list[str]:
    return [f"--phase={phase}" for phase in phases or []]


def add(server: MCPServer, tools: Tools) -> None:
    """All tools, with what a client may believe of each before it calls it."""
    reads = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    writes = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False)
    runs = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
    every: tuple[tuple[Callable[..., Any], str, Any], ...] = (
        (tools.scan, "Scan", reads),
        (tools.project, "Project", reads),
        (tools.explain, "Explain a rule", reads),
        (tools.translate, "Translate CUDA to HIP", reads),
        (tools.waves, "Wave widths", reads),
        (tools.port_plan, "Plan a port", reads),
        (tools.port_apply, "Apply a plan", writes),
        (tools.verify, "Verify", runs if tools.may_run else reads),
        (tools.run, "Run as AMD code", runs),
        (tools.parity, "Parity of back ends", reads),
    )
    for function, title, hints in every:
        server.add_tool(function, title=title, annotations=hints, structured_output=True)
