"""Float model to int8 QDQ model."""
