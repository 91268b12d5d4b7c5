"""Two back ends of one code base, side by side: what does the second still lack?"""
