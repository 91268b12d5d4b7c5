"""The rules, one per file, grouped by what they look at. Discovered by ``rewarp.registry``."""
