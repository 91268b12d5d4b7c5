"""Python modules: classes, functions, what their bodies do, and branches on the platform."""
