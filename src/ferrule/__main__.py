"""`python -m ferrule` is `ferrule`."""

from ferrule.cli import main

main()
