LABELS = {"A100": "blue", "H100": "green"}
SIZES = {"T1": 1, "T4": 2, "A5": 3}
RUNNERS = ["A100", "H100", "L4"]


def queue(label):
    """A100: 312, H100: 989"""
    if label == "A100":
        return "big"
    elif label == "L4":
        return "small"
# output
