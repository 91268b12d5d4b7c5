"""Python to ROCm: findings that have a mechanical change get it, gated and proved; the others are left to a person."""

from rewarp.port.python.part import run

__all__ = ["run"]
