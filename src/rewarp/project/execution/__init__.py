"""A Python script, followed without being run: what it does on a platform, statement by statement.

``project/gates`` says what one expression is, wherever it stands; this says what a whole script comes to (the lists that it
builds, the objects that it hands on), with the conditions that nobody can decide kept beside what depends on them."""

from rewarp.project.execution.interpreter import Interpreter
from rewarp.project.execution.values import Choice, External, Guard, Guarded, Guards, Instance, Unknown, readable

__all__ = ["Choice", "External", "Guard", "Guarded", "Guards", "Instance", "Interpreter", "Unknown", "readable"]
