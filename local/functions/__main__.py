"""`python -m local.functions`: serve an app's HTTP functions and run its timers."""

import argparse
import logging
import os
import signal
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from local.clock import SharedClock
from local.functions.configuration import ConfigurationError, with_settings
from local.functions.host import AppError, Host
from local.functions.schedule import ScheduleError
from local.functions.server import serve
from local.functions.timers import Timers
from local.ports import PortInUse

PORT = 7071

_DRAIN_SECONDS = 1.0


def main() -> int:
    options = _options()
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
    )
    stop = _until_told()
    if options.lifeline:
        threading.Thread(target=_follow_parent, args=[stop], daemon=True).start()
    try:
        if options.settings:
            os.environ.update(with_settings(os.environ, options.settings))
        clock = SharedClock(options.clock) if options.clock else None
        host = Host.load(options.app, clock=clock)
        with ExitStack() as running:
            server = running.enter_context(serve(host, options.port))
            if not options.no_timers:
                running.enter_context(Timers(host, options.timer_status))
            print(f"Functions ready at {server.url}", flush=True)
            stop.wait()
    except (AppError, ConfigurationError, PortInUse, ScheduleError) as error:
        print(f"The functions did not start: {error}", file=sys.stderr)
        return 1
    return _leave(host)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m local.functions", description=__doc__
    )
    parser.add_argument(
        "--app", type=Path, default=Path(), help="folder of function_app.py"
    )
    parser.add_argument("--port", type=int, default=PORT, help="0 takes a free one")
    parser.add_argument("--clock", type=Path, help="the shared clock's file")
    parser.add_argument("--settings", type=Path, help="a local.settings.json")
    parser.add_argument("--no-timers", action="store_true", help="only by hand")
    parser.add_argument("--timer-status", type=Path, help="keeps when each is due")
    parser.add_argument(
        "--lifeline", action="store_true", help="end when standard input does"
    )
    return parser.parse_args()


def _until_told() -> threading.Event:
    stop = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: stop.set())
    return stop


def _follow_parent(stop: threading.Event) -> None:
    sys.stdin.buffer.read()
    stop.set()


def _leave(host: Host) -> int:
    """Give running functions a moment, then end without joining their threads."""
    if not host.close(within=_DRAIN_SECONDS):
        logging.getLogger("host").warning("ended with functions still running")
        logging.shutdown()
        sys.stdout.flush()
        os._exit(0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
