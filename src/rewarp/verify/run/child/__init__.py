"""What runs inside the watched program: copied beside it, and therefore free of everything else in rewarp.

    watcher      starts with the interpreter, waits for torch, writes one report per process
    modules      NaN and Inf in what modules return; steps, and memory at each
    profile      which operators and kernels ran, and where; ``events`` reads what torch's profiler wrote
    call         calls one function again and again

It must never break, slow or change the program: whatever goes wrong here is a line in the report. It runs under the
Python of the program, which may be older than rewarp's.
"""
