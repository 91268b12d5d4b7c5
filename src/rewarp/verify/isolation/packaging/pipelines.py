"""Pipelines that publish: what they build, tag and upload is what users download, NVIDIA's too.

A changed CI file belongs to one where it publishes itself, or where one that does names it or is named by it. Then only a job
that publishes nothing, hands nothing on and that no other job waits for may change; its name says nothing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache

from rewarp.verify.isolation.context import Context
from rewarp.verify.isolation.file_verdict import Side
from rewarp.verify.isolation.packaging.checking import COMMENT, only_checks
from rewarp.verify.isolation.packaging.workflow import FILTERS, Pipeline, names_job
from rewarp.verify.isolation.roles import Role, role_of, suffix
from rewarp.verify.isolation.tree import Trees

_PUBLISHES = re.compile(
    rb"\btwine\s+upload|pypi[-_]publish|\b(?:uv|poetry|maturin|flit|hatch|pdm|cargo|npm|yarn|pnpm)\s+(?:publish|upload)\b"
    rb"|action-gh-release|release-action|upload-release-asset|\bgh\s+release\s+(?:create|upload|edit)"
    rb"|\b(?:docker|podman|buildah|nerdctl)\s+(?:image\s+)?push\b|--push\b|build-push-action|\bpush:\s*(?:true|\$)"
    rb"|\banaconda\b[^\n]*\bupload|\baws\s+s3\s+(?:cp|sync|mv)\b|\bgsutil\b[^\n]*\b(?:cp|rsync)\b|\bgcloud\s+storage\b"
    rb"|\baz\s+storage\b|\b(?:skopeo|crane|oras|regctl)\s|\brsync\s|\bscp\s|\bs3://|\bgs://|upload_url|\brelease-cli\b"
    rb"|\bgit\s+push\b|\bPYPI(?![-_]?(?:cache|mirror|proxy)|/simple)|TWINE_|pages-deploy|deploy-pages"
    rb"|\buses:[^\n]*(?:release|publish|deploy)|(?:upload|create|update)ReleaseAsset|(?:create|update)Release\b"
    rb"|/releases/(?:\d+|\$|\{)|uploads\.github\.com|\bgh\s+api\b[^\n]*/releases|\bgoreleaser\b|\bsemantic-release\b"
    rb"|\b(?:nuget|gem|choco|helm|snapcraft|vsce|ovsx|luarocks|conan|conda|mamba|pixi|jf|jfrog)\s+(?:\w+\s+)?(?:push|publish|upload|u)\b"
    rb"|\b(?:huggingface-cli|hf)\s+upload|\bupload_(?:folder|file)\s*\(|\brclone\s|\bsftp\s|\blftp\s|\bdput\s|\bcopr-cli\s"
    rb"|\bcurl\b[^\n]*\s(?:-T|--upload-file|--data-binary[ =]+[\"']?@|-F[ =]+\S*@)",
    re.I,
)
_HANDS_ON = re.compile(
    rb"upload-artifact|artifact\s+upload|artifacts|cache-to|(?<!\.)\boutputs\b|GITHUB_OUTPUT|workflow_run|actions/cache",
    re.I,
)
_LEAVES = re.compile(
    rb"upload-artifact|artifact\s+upload|cache-to|actions/cache|write-all|\bworkflow\s+run\b|dispatches\b|createWorkflowDispatch"
    rb"|workflow-dispatch\b|\bgit\s+(?:push|tag)\b|(?:contents|packages|id-token|deployments|pages)[\"']?:\s*write|\$\{\{\s*jobs\b",
    re.I,
)
"""What goes from one pipeline to another; `${{ jobs.… }}` is what a workflow that others call gives them."""
_UPLOADS = re.compile(
    rb"\btwine\s+upload|\b(?:uv|poetry|maturin|flit|hatch|pdm|cargo|npm)\s+publish\b|\bgh\s+release\s+(?:create|upload|edit)"
    rb"|\b(?:docker|podman|buildah|nerdctl)\s+(?:image\s+)?push\b|\banaconda\b[^\n]*\bupload|\baws\s+s3\s+(?:cp|sync|mv)\b"
    rb"|\bgsutil\b[^\n]*\b(?:cp|rsync)\b|\bgh\s+workflow\s+run\b|\bTWINE_(?:USERNAME|PASSWORD)"
    rb"|\bgh\s+api\b[^\n]*/releases|uploads\.github\.com|(?:upload|create|update)ReleaseAsset|\b(?:huggingface-cli|hf)\s+upload"
    rb"|\bcurl\b[^\n]*\s(?:-T|--upload-file|--data-binary[ =]+[\"']?@)",
    re.I,
)
"""Commands of a program that publish, whoever runs it."""
_SCRIPTS = frozenset({".sh", ".bash", ".py", ".ps1", ".mk", ".js", ""})
_DEPTH = 3


def why_published(path: str, context: Context) -> str | None:
    """How a change of a CI file may reach what users download; None where it cannot."""
    trees = context.trees
    files = of_pipelines(trees)
    if path not in files or only_checks(path, trees, _publishes):
        return None
    before, after = trees.read(path, "before"), trees.read(path, "after")
    old, new = Pipeline.of(path, before), Pipeline.of(path, after)
    why = "it changed" if old is None or new is None else _told(old, new, _publishing_scripts(trees))
    return f"it belongs to a pipeline that publishes ({files[path]}): {why}" if why else None


@lru_cache(maxsize=4)
def of_pipelines(trees: Trees) -> dict[str, str]:
    """The CI files of a pipeline that publishes, each with the file that says so."""
    texts: dict[str, bytes] = {}
    sides: tuple[Side, Side] = ("before", "after")
    for side in sides:
        for path in trees.paths(side):
            if role_of(path) is Role.CI and (data := trees.read(path, side)):
                data = COMMENT.sub(b"", data) if path.endswith((".yml", ".yaml")) else data
                data = FILTERS.sub(b"", data) if path.startswith(".github/workflows/") else data
                texts[path] = texts.get(path, b"") + b"\n" + data
    scripts = _publishing_scripts(trees)
    found = {path: path for path, data in texts.items() if _PUBLISHES.search(data) or _names_one(data, scripts)}
    for _ in range(_DEPTH):
        more = {path: found[other] for path, other in _joined(texts, found) if path not in found}
        if not more:
            break
        found.update(more)
    return found


@lru_cache(maxsize=4)
def _publishing_scripts(trees: Trees) -> frozenset[bytes]:
    """Names of programs of the tree that publish, as far as CI files speak of them: a workflow that runs one does, too."""
    found: set[bytes] = set()
    sides: tuple[Side, Side] = ("before", "after")
    for side in sides:
        paths = trees.paths(side)
        spoken = b"\n".join(trees.read(path, side) or b"" for path in paths if role_of(path) is Role.CI)
        for path in paths:
            name = posixpath.basename(path).encode()
            if suffix(path) in _SCRIPTS and name in spoken and _UPLOADS.search(trees.read(path, side) or b""):
                found.add(name)
    return frozenset(found)


def _names_one(data: bytes, names: frozenset[bytes]) -> bool:
    return any(name in data for name in names)


def _publishes(data: bytes, trees: Trees) -> bool:
    """Whether a CI file does what leaves it: publishes, hands files on, starts other pipelines, or may write to the repository."""
    return bool(_PUBLISHES.search(data) or _LEAVES.search(data)) or _names_one(data, _publishing_scripts(trees))


def _joined(texts: dict[str, bytes], found: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Files that one of a pipeline names, or that name one."""
    for path, data in texts.items():
        name = _called(path)
        for other in found:
            if name in texts[other] or _called(other) in data:
                yield path, other


def _called(path: str) -> bytes:
    """What others name a CI file by: an action of the project's own by its folder."""
    folder, name = posixpath.split(path)
    return (folder if name in ("action.yml", "action.yaml") and folder else name).encode()


def _told(before: Pipeline, after: Pipeline, scripts: frozenset[bytes]) -> str | None:
    """What of the difference may reach what is published."""
    if before.jobs and after.jobs and before.rest != after.rest:
        return "what all of its jobs share changed"
    changed = [
        name for name in dict.fromkeys([*before.jobs, *after.jobs]) if before.jobs.get(name) != after.jobs.get(name)
    ]
    for name in changed:
        for side in (before, after):
            text = side.jobs.get(name, "").encode()
            if _PUBLISHES.search(text) or _HANDS_ON.search(text) or _names_one(text, scripts):
                return f"job {name}, which publishes or hands something on, changed"
            others = (other for other, job in side.jobs.items() if other not in changed and names_job(job, name))
            if waiting := next(others, None):
                return f"job {name} changed, and {waiting} speaks of it"
    return None
