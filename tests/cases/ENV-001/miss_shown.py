import logging
import os

logger = logging.getLogger(__name__)
logger.info("devices %s", os.environ.get("CUDA_VISIBLE_DEVICES"))
print(f"{os.environ['CUDA_VISIBLE_DEVICES']}")
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
name = "CUDA_VISIBLE_DEVICES"
os.environ.pop("CUDA_VISIBLE_DEVICES", None)
# output
