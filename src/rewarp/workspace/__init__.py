"""A project's files, wherever they are: in a folder, in a commit of a repository, or under edits that nobody has written
to disk yet. Every command reads a project through a ``Tree``; what it holds is listed once and read once."""

from rewarp.workspace.listing import TOO_LARGE, FileEntry, Listing, find_files, list_tree
from rewarp.workspace.trees import Commit, Entry, Folder, Overlay, Tree, open_tree

__all__ = [
    "TOO_LARGE",
    "Commit",
    "Entry",
    "FileEntry",
    "Folder",
    "Listing",
    "Overlay",
    "Tree",
    "find_files",
    "list_tree",
    "open_tree",
]
