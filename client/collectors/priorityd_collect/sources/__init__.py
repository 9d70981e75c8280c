"""The formats: each makes records of lines or of answers."""
