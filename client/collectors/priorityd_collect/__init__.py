"""Collectors of usage for priorityd: what other tools have written down, recorded exactly once."""
