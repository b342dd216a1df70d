"""Reads the data that users give: samples, pictures, labels."""
