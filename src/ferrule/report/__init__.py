"""Result records to JSON and text."""
