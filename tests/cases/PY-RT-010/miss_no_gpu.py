import multiprocessing

ctx = multiprocessing.get_context("fork")
fork = {"fork": "upstream/fork"}
# output
