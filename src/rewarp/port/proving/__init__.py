"""What is known of a change without running the project: it breaks no file, leaves NVIDIA's side alone, compiles."""
