npx ncu -u
ncu -u
gdb ./app
rocprofv3 --hip-trace -- python train.py
echo "use nsys profile"
# nsys profile python train.py
# output
