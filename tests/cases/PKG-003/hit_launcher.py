import os

torch_command = os.environ.get(
    "TORCH_COMMAND", "pip install torch==2.1.2 --extra-index-url https://download.pytorch.org/whl/cu121"
)
TORCH_INDEX = "https://download.pytorch.org/whl/cu126"
# output
4 crash: "pip install torch==2.1.2 --extra-index-url https://download.pytorch.org/whl/cu121"
6 crash: "https://download.pytorch.org/whl/cu126"
