"""Two back ends of one code base, side by side: what does the second still lack?

``cpp``, ``python``, ``rust`` and ``kernels`` each have an analyser (``analyse(files, a, b)``: units, problems, how the pairs
were found) in three rooms: ``reading`` what stands in a file, ``following`` what a function comes to, ``comparing`` both back
ends. ``names`` says whose a name is, ``reading`` keeps what was read, ``comparing`` joins what the analysers say, ``scoring``
judges it, and ``claims`` holds hand-written documents against it.
"""
