import os

os.environ["HSA_OVERRIDE_GFX_VERSION"] = "11.0.0"
# output
arch: gfx942
3 crash: os.environ["HSA_OVERRIDE_GFX_VERSION"] = "11.0.0"
