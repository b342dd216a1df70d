"""Plan and program to C sources."""
