export HSA_OVERRIDE_GFX_VERSION=9.4.2
# output
arch: gfx942
