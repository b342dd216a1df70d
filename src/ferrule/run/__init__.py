"""Builds the C and executes it on arrays."""
