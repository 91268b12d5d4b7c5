export DS_ACCELERATOR=rocm
deepspeed train.py
# output
1 crash: DS_ACCELERATOR=rocm
