"""One file per rule: what is wrong, where, the cure."""
