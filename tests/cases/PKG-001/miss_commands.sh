pip install torch --index-url https://download.pytorch.org/whl/cpu
pip download torch
echo pip install torch
cat <<EOF
pip install torch
EOF
if command -v nvidia-smi > /dev/null; then
    pip install torch
fi
# output
