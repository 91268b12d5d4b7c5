"""Functions followed, and what they call: which data types come through, and where the ways end."""
