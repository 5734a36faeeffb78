"""The function app as one file: what Azure runs, with all that it needs inside."""
