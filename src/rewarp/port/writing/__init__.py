"""Where a port goes: a patch, a git branch, or the tree itself, with a journal that takes it back."""
