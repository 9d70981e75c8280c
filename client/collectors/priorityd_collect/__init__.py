"""Collectors of usage for priorityd: record the logs of other tools exactly once."""
