"""Python to Intel Gaudi: ``torch.hpu`` beside ``torch.cuda``, behind one gate; what has no twin is left to a person."""

from rewarp.port.gaudi.part import run

__all__ = ["run"]
