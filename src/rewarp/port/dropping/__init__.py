"""Changes that are taken out again: half a change is worse than none."""
