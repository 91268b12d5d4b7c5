"""setup.py, torch extensions, CMake, Make and compiler flags."""
