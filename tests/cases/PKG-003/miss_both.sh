if [ "$GPU_VENDOR" = "nvidia" ]; then
    pip install torch --index-url https://download.pytorch.org/whl/cu124
else
    pip install torch --index-url https://download.pytorch.org/whl/rocm6.2
fi
# output
