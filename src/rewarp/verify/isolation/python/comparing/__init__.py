"""Two folded modules side by side: what differs, and whether a program could notice."""
