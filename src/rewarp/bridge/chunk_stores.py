"""Where chunks are kept: the store's address, what it takes, and whether two sides have the same one."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath
from urllib.parse import parse_qs, unquote, urlsplit

from rewarp.bridge import keys
from rewarp.bridge.crossing import Basis, CrossingVerdict, Reason
from rewarp.bridge.deployment import Deployment
from rewarp.bridge.facts import kv_types
from rewarp.bridge.lmcache_settings import NO_STORE
from rewarp.bridge.reasons import both, miss, not_known, of_writer

KEYS = "LMCache 0.5.6 lmcache/utils.py CacheEngineKey"
MP_KEYS = "LMCache 0.5.6 lmcache/v1/distributed/api.py ObjectKey"
_PROTOCOL = "LMCache 0.5.6 lmcache/v1/protocol.py"
_ADAPTERS = "LMCache 0.5.6 lmcache/v1/storage_backend/connector/__init__.py"
_REDIS = "LMCache 0.5.6 lmcache/v1/storage_backend/connector/redis_connector.py; redis-py's from_url"
_URL = "lmcache.remote_url"
_STORES = ("fs", "lm", "redis")
"""Those that were run."""
_DATABASE = "db"
_PORTS = {"fs": 0, "lm": 65432, "redis": 6379}
_LONGEST_KEYS = {"lm": 150, "fs": 255}
"""Bytes: MAX_KEY_LENGTH of the server's protocol; NAME_MAX of file systems."""


def addresses(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """What LMCache makes of a store's address, and of keys that are too long for it: a line in the log, and no cache."""
    for side in (writer, reader):
        url = side.lmcache.remote_url
        if url in (None, NO_STORE):
            continue
        parts = urlsplit(url or "")
        alone = side.lmcache.mode != "in-process"
        written = (url or "").partition(":")[0]
        if not alone and written != parts.scheme:
            cause = f"{side.name}: LMCache knows no store {written}://, in capitals, and goes on without one"
            change = both("in small letters", _URL, f"{parts.scheme}{(url or '')[len(written) :]}")
            yield Reason(CrossingVerdict.IMPOSSIBLE, _URL, cause, Basis.RUN, _ADAPTERS, (change,))
        if not alone and parts.scheme in _STORES and not _has_port(url or ""):
            cause = f"{side.name}: LMCache takes no address without host and port, for fs:// either, and goes on without a store"
            whole = f"{parts.scheme}://{parts.hostname or 'host'}:{_PORTS[parts.scheme]}{parts.path}"
            change = both("with a port", _URL, whole)
            yield Reason(CrossingVerdict.IMPOSSIBLE, _URL, cause, Basis.RUN, f"{_ADAPTERS} parse_remote_url", (change,))
        longest = _LONGEST_KEYS.get(parts.scheme)
        length = _longest_file(side) if alone else _longest_key(side)
        if longest and side.vllm.model and length > longest:
            cause = f"{side.name}: keys of up to {length} bytes, and {parts.scheme}:// takes {longest}: chunks fail to be stored"
            yield Reason(CrossingVerdict.IMPOSSIBLE, "vllm.model", cause, Basis.RUN, _PROTOCOL)
        if "@" in (side.vllm.model or "") and (alone or parts.scheme == "lm"):
            cause = f"{side.name}: LMCache's server takes no model's name with @ in it, which parts the fields of a key"
            basis, source = (Basis.SOURCE, MP_KEYS) if alone else (Basis.RUN, KEYS)
            yield Reason(CrossingVerdict.IMPOSSIBLE, "vllm.model", cause, basis, source)


def _has_port(url: str) -> bool:
    try:
        return urlsplit(url).port is not None and urlsplit(url).hostname is not None
    except ValueError:
        return False


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _longest_key(side: Deployment) -> int:
    """With a hash of 16 digits, a sign where Python's own hash has one, and the last rank."""
    row = kv_types().get(side.kv_type or "")
    signed = keys.algorithm(side.hash_algorithm) == keys.BUILTIN
    tags = sum(len(_bytes(f"@{name}%{value}")) for name, value in side.lmcache.tags.items())
    model = _bytes(side.vllm.model or "")
    ranks = f"@{keys.key_world_size(side)}@{keys.key_world_size(side) - 1}@"
    own = len(model) + len(ranks) + 16 + signed + 1 + len(row.key_type if row else "") + tags
    # A path's slashes become five letters, and the file a name of its own.
    return own if not (side.lmcache.remote_url or "").startswith("fs:") else own + 4 * model.count(b"/") + len(".data")


def _longest_file(side: Deployment) -> int:
    """In LMCache's own process: rank, group and hash, and the requests' salt."""
    model = _bytes(side.vllm.model or "")
    salt = len(_bytes(side.lmcache.cache_salt)) + 1 if side.lmcache.cache_salt else 0
    return len(model) + 4 * model.count(b"/") + len("@0x01000100@0@") + 64 + salt + len(".data")


def store(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    field = _URL
    if writer.lmcache.mode != reader.lmcache.mode:
        cause = "in vLLM's process and in one of its own LMCache spells and hashes keys differently"
        yield miss(
            "lmcache.mode",
            cause,
            f"{KEYS}; {MP_KEYS}",
            of_writer(writer, reader, "lmcache.mode", writer.lmcache.mode),
        )
    urls = writer.lmcache.remote_url, reader.lmcache.remote_url
    for side, url in zip((writer, reader), urls, strict=True):
        if url is None:
            yield not_known(field, f"{side.name}: nobody said which store it uses")
        elif url == NO_STORE:
            cause = f"{side.name} has no remote store; local memory and local disk are read by their own process alone"
            source = "LMCache 0.5.6 lmcache/v1/storage_backend/local_disk_backend.py"
            yield Reason(CrossingVerdict.MISS, field, cause, Basis.SOURCE, source)
        elif urlsplit(url).scheme not in (_STORES if side.lmcache.mode == "in-process" else ("fs",)):
            yield not_known(field, f"{side.name}: {urlsplit(url).scheme or url}:// is a store that was not looked at")
        elif urlsplit(url).scheme != "fs" and _is_own(urlsplit(url).hostname or ""):
            cause = f"{side.name}: {urlsplit(url).hostname} is another server on every machine, and may be one on both"
            yield not_known(field, cause)
    if None in urls or NO_STORE in urls:
        return
    if _place(urls[0] or "") != _place(urls[1] or ""):
        yield two_stores(writer, reader)
    else:
        yield from _connections(writer, reader)


def _connections(writer: Deployment, reader: Deployment) -> Iterator[Reason]:
    """What an address of Redis says beside the place."""
    sides = [(side, urlsplit(side.lmcache.remote_url or "")) for side in (writer, reader)]
    for side, parts in sides:
        asked = parse_qs(parts.query)
        others = sorted(name for name in asked if name != _DATABASE or not asked[name][0].isdecimal())
        if parts.scheme == "redis" and others:
            cause = f"{side.name}: {', '.join(others)} of its address: how the client then speaks was not looked at"
            yield not_known(_URL, cause, _REDIS)
    names = [parts.netloc.rpartition("@")[0] for _, parts in sides]
    if sides[0][1].scheme == "redis" and names[0] != names[1]:
        yield not_known(_URL, "the two log in in different ways, and who may do what there was not looked at", _REDIS)


def two_stores(writer: Deployment, reader: Deployment) -> Reason:
    field, urls = _URL, (writer.lmcache.remote_url, reader.lmcache.remote_url)
    cause = f"two stores, {urls[0]} and {urls[1]}, as far as their addresses tell"
    return miss(field, cause, KEYS, of_writer(writer, reader, field, urls[0]))


def _is_own(host: str) -> bool:
    """An address that every machine has for itself."""
    return host in ("localhost", "::1", "0.0.0.0") or host.startswith("127.") or host.endswith(".localhost")


def _place(url: str) -> tuple[str, str, str]:
    """Where a store is, as its connector reads the address."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower()
    if parts.scheme == "fs":
        return "fs", "", ",".join(normpath(path.strip()).replace("//", "/") for path in parts.path.split(","))
    if parts.scheme == "lm":
        return "lm", host, ""
    return parts.scheme, host, _database(parts.path, parts.query) if parts.scheme == "redis" else parts.path


def _database(path: str, query: str) -> str:
    """Redis has several behind one address: `?db=1` goes before `/1`, and what is no number is the first."""
    asked = parse_qs(query).get(_DATABASE)
    named = unquote(asked[0] if asked else path.replace("/", ""))
    return str(int(named)) if named.isdecimal() else "0"


def provided(side: Deployment) -> str:
    """What the address does not tell: one path may be another folder on every machine."""
    parts = urlsplit(side.lmcache.remote_url or "")
    return f", if {parts.path} is one file system on both machines" if parts.scheme == "fs" else ""
