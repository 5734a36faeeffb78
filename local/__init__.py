"""An Azure on loopback, a virtual GPU VM and a Functions host, for demo and tests."""
