"""What instructions mean, as tables: a mnemonic, the types of its operands, an expression in C over 64 lanes."""
