"""Ports of 127.0.0.1: a free one, and a sentence for one that is taken."""

import socket

ADDRESS = "127.0.0.1"


class PortInUse(OSError):
    """Somebody else listens there."""

    def __init__(self, port: int) -> None:
        super().__init__(f"port {port} on {ADDRESS} is in use")


def free() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        return int(probe.getsockname()[1])


def refuse_taken(port: int) -> None:
    """Raise PortInUse where somebody listens already."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError as error:
            raise PortInUse(port) from error
