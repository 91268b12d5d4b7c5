"""What conditions are for an NVIDIA user: facts about PyTorch, names and methods followed to where they get their value."""
