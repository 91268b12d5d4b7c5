from torch.cuda.jiterator import _create_multi_output_jit_fn as make

fn = make(code, num_outputs=2)
# output
3 works-as-is: make(code, num_outputs=2)
