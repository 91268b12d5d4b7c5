"""Is NVIDIA untouched? A certificate for any change, file by file; in doubt a file is not provable."""
