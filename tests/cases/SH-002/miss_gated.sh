if [ "$PLATFORM" == "rocm" ]; then
    rocprofv3 -- python train.py
else
    nsys profile python train.py
fi
which nsys
# output
