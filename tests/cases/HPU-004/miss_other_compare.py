def pick(compiler, language, name):
    if compiler == "cuda" or language in ("cuda", "hip"):
        return name != "cuda"
    return name.startswith("cuda")
# output
target: gaudi
