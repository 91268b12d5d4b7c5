"""Whose a name is: the back end that its words say, and names that say none or that the whole project bears."""
