"""Two back ends of one code base, side by side: what does the second still lack?

One analyser per language (``analyse(files, a, b)``: units, problems, how the pairs were found), which reads files through
``store.facts``; ``compare`` joins them, ``scores`` judges, ``result`` adds waivers, priorities and the baseline.
"""
