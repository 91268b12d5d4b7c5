import os

hip_val = os.environ.get("HIP_VISIBLE_DEVICES")
if hip_val is not None:
    os.environ["ROCR_VISIBLE_DEVICES"] = hip_val
# output
5 crash: os.environ["ROCR_VISIBLE_DEVICES"] = hip_val
