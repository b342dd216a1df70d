"""Compares the C with the model."""
