import importlib
import importlib.machinery

finder = importlib.machinery.FileFinder(folder, loader)
spec = finder.find_spec("_C")
ops = importlib.import_module("mypackage._C")
# output
5 info: finder.find_spec("_C")
6 info: importlib.import_module("mypackage._C")
