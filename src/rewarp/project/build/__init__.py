"""What a project's build compiles on a platform: one answer, made of what each build system's reader says.

A reader (``cmake``, ``setup_script``, ``make``, ``meson``, ``cargo``, ``database``) gives ``BuildUnit``; a source under a
condition that nothing here decides is kept, with the condition: never dropped, never assumed."""

from rewarp.project.build.model import Build, BuildUnit, Given, Reason

__all__ = ["Build", "BuildUnit", "Given", "Reason"]
