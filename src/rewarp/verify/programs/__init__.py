"""Two programs that should do the same: how they end, what they print, which files they write.

running      one run of a program, with the files it wrote
recorded     a run as a value, and as a file: CUDA and ROCm are seldom on one machine
text         what was printed: words exactly, numbers within a tolerance
comparison   two runs side by side
"""

from __future__ import annotations

from rewarp.verify.programs.comparison import compare_programs
from rewarp.verify.programs.recorded import ProgramRun
from rewarp.verify.programs.running import Output, run_program
from rewarp.verify.programs.text import TextRules

__all__ = ["Output", "ProgramRun", "TextRules", "compare_programs", "run_program"]
