"""The port of a whole repository: phases that each make small, gated, explained changes, and the proof after them.

``planning`` says what is to be done; ``packaging``, ``cpp``, ``build``, ``rust``, ``python`` and ``gaudi`` make the changes, a
room for each language or build system; ``proving`` holds them against NVIDIA's side and compiles them, ``dropping`` takes out
what does not hold, ``writing`` brings the rest into a patch, a branch or the tree. ``engine`` does it all, in the order of
``parts``.
"""
