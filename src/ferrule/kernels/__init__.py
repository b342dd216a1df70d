"""The C kernels, and what each needs."""
