nsys profile -o trace --trace=cuda,nvtx python train.py
sudo -E ncu --set full -o report ./bench
srun nsys profile python train.py
compute-sanitizer --tool memcheck ./test
# output
1 crash: nsys
2 crash: ncu
3 crash: nsys
4 crash: compute-sanitizer
