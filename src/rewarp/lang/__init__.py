"""Parsing only: one module per language, each giving rules a Document to ask."""
