"""Brings the grants of a cluster into agreement with a file of allocations."""
