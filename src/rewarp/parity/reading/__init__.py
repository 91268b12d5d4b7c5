"""What is read of a tree, kept by content, so that no file is read twice."""
