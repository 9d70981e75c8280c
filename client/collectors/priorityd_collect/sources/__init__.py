"""The formats: each turns lines, or answers, into records."""
