"""CUDA C++ and C++: what hides code, the preprocessor's conditions, files as code."""
