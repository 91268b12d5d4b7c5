"""LIB-018: KV caches that leave the process."""

import ast
from collections.abc import Iterator
from itertools import islice

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.document import Document
from rewarp.lang.kinds import COMMAND_KINDS, Kind
from rewarp.lang.python import PythonFile
from rewarp.lang.yaml import YamlFile
from rewarp.registry import Hit, Impact, Trait, rule
from rewarp.targets import Context

_CONFIGURATION = "KVTransferConfig"
_OPTION = "kv_transfer_config"
_ON_COMMAND_LINE = "--kv-transfer-config"
_VARIABLES = ("LMCACHE_CONFIG_FILE", "LMCACHE_REMOTE_URL")
_STORED = "LMCache keeps KV caches where other platforms may read them"
_CONNECTOR = "vLLM hands KV caches to a connector"
_IMPACT = Impact(
    Severity.INFO,
    why="What one platform stores another one may read: keys differ with the seed of Python's hashes, and FP8 values of one "
    "platform are other numbers on the next.",
    fix="`rewarp bridge check A B` says what becomes of data that crosses between two deployments.",
    safety=Safety.NONE,
    effort=Effort.NONE,
)


@rule(
    id="LIB-018",
    title="KV caches leave the process",
    kinds=(*COMMAND_KINDS, Kind.DOTENV, Kind.REQUIREMENTS, Kind.PYPROJECT, Kind.SETUP_CFG, Kind.CONDA),
    anchors=["lmcache", _CONFIGURATION, _OPTION, "kv transfer config", *_VARIABLES],
    phase=Phase.VERIFICATION,
    rocm=_IMPACT,
    gaudi=_IMPACT,
    traits=[Trait.ANOTHER_QUESTION],
    example="from lmcache.integration.vllm.utils import ENGINE_NAME",
    source="https://github.com/LMCache/LMCache",
)
def match(document: Document, context: Context) -> Iterator[Hit]:
    """Looks for the first import of LMCache or configuration of vLLM's KV connectors in a file: in Python, in a command
    (`vllm serve --kv-transfer-config`), in an image, a manifest or a list of requirements."""
    yield from islice(_found(document), 1)


def _found(document: Document) -> Iterator[Hit]:
    if isinstance(document, PythonFile):
        yield from _in_python(document)
    for word in (word for command in document.commands for word in command.words):
        if _is_option(word.text):
            yield Hit(word, _CONNECTOR, _ON_COMMAND_LINE)
    for variable in document.env_sets:
        if variable.name in _VARIABLES:
            yield Hit(variable, _STORED, variable.name)
    for asked in document.requirements:
        if asked.name == "lmcache":
            yield Hit(asked, _STORED, asked.text)
    if isinstance(document, YamlFile):
        for entry in document.entries:
            if any(map(_is_option, entry.value.replace(",", " ").split())):
                yield Hit(entry.span, _CONNECTOR, _ON_COMMAND_LINE)
            elif entry.key in _VARIABLES or (entry.key == "name" and entry.value in _VARIABLES):
                yield Hit(entry.span, _STORED, entry.key)


def _in_python(document: PythonFile) -> Iterator[Hit]:
    for item in document.imports_of("lmcache"):
        yield Hit(item.node, _STORED, "lmcache")
    for node in document.nodes(ast.Call):
        name = document.raw(node.func).rpartition(".")[2]
        if name == _CONFIGURATION or any(keyword.arg == _OPTION for keyword in node.keywords):
            yield Hit(node.func, _CONNECTOR, _OPTION)


def _is_option(word: str) -> bool:
    return word.strip("'\"[]").partition("=")[0].partition(".")[0].replace("_", "-") == _ON_COMMAND_LINE
