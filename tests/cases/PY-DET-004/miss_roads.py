MILES = {"A10": 12, "A40": 80, "A30": 95}
PAPER = [Sheet("A2", width=420), Sheet("A10", width=26)]
# output
