"""What the operator builds for the GPU VM: its profile, its settings, its archive."""
