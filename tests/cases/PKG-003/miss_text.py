"""Install with pip install torch --index-url https://download.pytorch.org/whl/cu121."""

HELP = "Please run: pip install torch --index-url https://download.pytorch.org/whl/cu121"
print(HELP)
# output
