"""Op to engine, with reasons."""
