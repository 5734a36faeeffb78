"""`python -m control`: what the operator does at a terminal."""
