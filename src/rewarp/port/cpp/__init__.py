"""CUDA C++: HIP versions beside the sources, or the sources themselves where one text serves both compilers."""
