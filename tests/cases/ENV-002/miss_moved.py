import os

val = os.environ.pop("ROCR_VISIBLE_DEVICES", "")
os.environ["HIP_VISIBLE_DEVICES"] = val
os.environ["ROCR_VISIBLE_DEVICES"] = val
# output
