"""Bytes to model or program."""
