"""One side of the project as Python sees it: scopes, modules, what an import means, what is set or asked for by name."""
