"""``rewarp mcp``: rewarp's verbs as tools of the Model Context Protocol, for coding agents. Needs the extra ``mcp``."""
