"""Is the port right? Levels of evidence: static, build, run, numbers; and whether NVIDIA's path is untouched.

Every level says what it saw in the words of `model`: a Check that passed, failed, or was not checked and why.
"""
