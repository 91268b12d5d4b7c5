"""Shell: scripts, and the shell code inside Makefiles, Dockerfiles and YAML.

A light lexer that keeps offsets: comments and here-documents are blanked, line
continuations joined, words unquoted, command substitutions followed. It understands simple
commands, ``if`` and ``case``, not the rest of shell logic.
"""

from rewarp.lang.shell.file import ShellFile
from rewarp.lang.shell.installs import install_words, pip_requirements
from rewarp.lang.shell.reading import Fragment
from rewarp.lang.shell.words import HEREDOC, blank, heredoc_names, literal, simple_commands, split_command, unquote

__all__ = [
    "HEREDOC",
    "Fragment",
    "ShellFile",
    "blank",
    "heredoc_names",
    "install_words",
    "literal",
    "pip_requirements",
    "simple_commands",
    "split_command",
    "unquote",
]
