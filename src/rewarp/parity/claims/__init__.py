"""Parity documents that people wrote: what they claim, and whether the code bears it out."""
