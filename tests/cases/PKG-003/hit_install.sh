pip install torch==2.4.0 torchvision --index-url https://download.pytorch.org/whl/cu124
CU=118
pip install --pre torch --index-url "https://download.pytorch.org/whl/nightly/cu${CU}"
# output
1 crash: https://download.pytorch.org/whl/cu124
3 crash: "https://download.pytorch.org/whl/nightly/cu${CU}"
