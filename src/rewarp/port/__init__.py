"""The port of a whole repository: phases that each make small, gated, explained changes, and the proof after them."""
