"""What a file of CUDA C++ says about lanes: functions, names, and what each value means. No opinions."""
