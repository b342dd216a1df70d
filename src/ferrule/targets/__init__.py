"""What each chip has and what each engine can run."""
