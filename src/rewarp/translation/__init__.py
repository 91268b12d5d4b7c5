"""CUDA C++ to HIP: renames on tokens everywhere, structural edits where the code is understood."""
