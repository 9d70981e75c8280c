"""Prices of usage: statements, FOCUS exports and balances."""
