"""A small Functions host: the real function_app.py under Microsoft's own worker."""
