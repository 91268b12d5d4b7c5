def loader():
    from nvidia.dali.plugin.pytorch import DALIGenericIterator

    return DALIGenericIterator


try:
    import nvidia.dali.types as types
except ImportError:
    types = None
# output
2 crash: from nvidia.dali.plugin.pytorch import DALIGenericIterator
8 info: import nvidia.dali.types as types
