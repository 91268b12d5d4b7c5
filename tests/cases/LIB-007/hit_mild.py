def build():
    import transformer_engine as te

    return te


try:
    import transformer_engine
except ImportError:
    transformer_engine = None
# output
2 info: import transformer_engine as te
8 info: import transformer_engine
