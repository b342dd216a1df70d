"""The public face: deploy() and its result record."""
