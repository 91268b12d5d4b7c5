"""CPython's hash of a text under a known PYTHONHASHSEED, for Pythons other than this one.

Up to 3.10 it is SipHash-2-4, from 3.11 on SipHash-1-3 (bpo-29410): one seed, two hashes. Source: CPython, Python/pyhash.c
and Python/bootstrap_hash.c.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1
_LARGEST_SEED = (1 << 32) - 1


def secret(seed: int) -> tuple[int, int]:
    """The two words of the key that Python derives from a seed; the seed 0 switches it off."""
    if not 0 <= seed <= _LARGEST_SEED:
        raise ValueError(f"PYTHONHASHSEED must be from 0 to {_LARGEST_SEED}")
    key, state = bytearray(), seed
    for _ in range(16):
        state = (state * 214013 + 2531011) & _LARGEST_SEED
        key.append(state >> 16 & 0xFF if seed else 0)
    return int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & _MASK


def _round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a = (a + b) & _MASK
    c = (c + d) & _MASK
    b = _rotated(b, 13) ^ a
    d = _rotated(d, 16) ^ c
    a = _rotated(a, 32)
    c = (c + b) & _MASK
    a = (a + d) & _MASK
    b = _rotated(b, 17) ^ c
    d = _rotated(d, 21) ^ a
    return a, b, _rotated(c, 32), d


def siphash(data: bytes, key: tuple[int, int], each: int, last: int) -> int:
    """SipHash with so many rounds for each word, and at the end."""
    a, b = key[0] ^ 0x736F6D6570736575, key[1] ^ 0x646F72616E646F6D
    c, d = key[0] ^ 0x6C7967656E657261, key[1] ^ 0x7465646279746573
    whole = len(data) // 8 * 8
    words = [int.from_bytes(data[at : at + 8], "little") for at in range(0, whole, 8)]
    words.append(int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56)
    for word in words:
        d ^= word
        for _ in range(each):
            a, b, c, d = _round(a, b, c, d)
        a ^= word
    c ^= 0xFF
    for _ in range(last):
        a, b, c, d = _round(a, b, c, d)
    return a ^ b ^ c ^ d


def hash_of_text(text: str, seed: int, python: tuple[int, int]) -> int:
    """What ``hash(text)`` is on that Python with PYTHONHASHSEED=seed. The text must be ASCII."""
    data = text.encode("ascii")
    if not data:
        return 0
    value = siphash(data, secret(seed), *((1, 3) if python >= (3, 11) else (2, 4)))
    value -= value >> 63 << 64  # as a signed word
    return -2 if value == -1 else value
