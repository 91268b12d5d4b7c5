#!/bin/bash
if [[ "$BACKEND" == "rocm" ]]; then
  rocprofv3 --hip-trace -- python bench.py
  exit 0
fi
nsys profile -o out python bench.py
# output
