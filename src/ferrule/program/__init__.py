"""Tensors, ops' form, text form and hand-over records."""
