"""What the GPU VM does by itself, one verb for each of its units.

Standard library only, for the Python of Ubuntu 24.04 (3.12). Every verb may be run
again at any time, has a deadline, and ends with one sentence where it did not succeed.
"""
