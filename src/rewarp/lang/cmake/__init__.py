"""CMake: a parser with places (``file``), conditions as CMake decides them (``conditions``), and an evaluator that runs a
project's files under given switches (``evaluator``). What cannot be known stays unknown, and marked."""

from rewarp.lang.cmake.file import Argument, CMakeCommand, CMakeFile

__all__ = ["Argument", "CMakeCommand", "CMakeFile"]
