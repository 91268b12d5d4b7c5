"""The program that is left for an NVIDIA user, and what of a project only code for AMD still reaches."""
