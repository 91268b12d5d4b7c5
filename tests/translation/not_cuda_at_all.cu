// compile: no, it is no C++
Dear reader,

this file is called .cu, and it is a letter. It's about cubes and cuneiform -- "nothing else"; C'est tout.
curl -O https://example.org/cuda_runtime.h && echo $CUDA_HOME <<EOT
// ---- unchanged ----
