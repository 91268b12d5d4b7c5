import gc

import torch


class Executor:
    def execute(self, prompt, prompt_id, extra={}):
        with torch.inference_mode():
            self.run(prompt)
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.ipc_collect()
# output
11 info: torch.cuda.empty_cache()
12 info: torch.cuda.ipc_collect()
