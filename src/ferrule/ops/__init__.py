"""One file per operator: all that is true on any chip."""
