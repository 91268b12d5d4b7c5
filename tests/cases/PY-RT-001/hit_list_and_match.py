import re

import pytest

TEXTS = ["CUDA out of memory.", "cuDNN error: CUDNN_STATUS_NOT_SUPPORTED."]


def should_retry(exception):
    return any(text in exception.args[0] for text in TEXTS)


def test_bad_launch():
    with pytest.raises(RuntimeError, match="CUDA error: invalid"):
        launch()


is_cuda = re.search(r"CUDA error", log)
# output
9 crash: text in exception.args[0]
13 crash: pytest.raises(RuntimeError, match="CUDA error: invalid")
17 crash: re.search(r"CUDA error", log)
