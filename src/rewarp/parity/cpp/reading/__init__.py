"""C++ sources: tokens, statements, expressions, declarations, and the program that a back end builds of them."""
