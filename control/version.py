"""The version that people are told, the same as in pyproject.toml."""

VERSION = "0.1.0"
