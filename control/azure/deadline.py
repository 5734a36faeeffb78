"""A limit on the whole of a call: connecting, asking for a token, sending and reading.

The SDKs' own timeouts hold for each read of a socket, and not for the token before
it; an answer that drips would keep a handler for ever.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from azure.core.exceptions import ServiceRequestError
from azure.core.pipeline import PipelineRequest
from azure.core.pipeline.policies import SansIOHTTPPolicy

from control.patience import left


class Deadline:
    """The instant after which a call is no longer waited for."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        """Whether the caller has given up."""
        return time.monotonic() >= self._end


def within[T](seconds: float, call: Callable[[Deadline], T]) -> T:
    """Return what `call` returns, or raise TimeoutError after so many seconds.

    A run that has less patience left gives it less. The call goes on in a daemon
    thread; `DeadlinePolicy` keeps it from sending then.
    """
    future: Future[T] = Future()
    seconds = left(seconds)
    deadline = Deadline(seconds)

    def run() -> None:
        try:
            future.set_result(call(deadline))
        except BaseException as failure:  # noqa: BLE001 - raised again by the caller
            future.set_exception(failure)

    threading.Thread(target=run, daemon=True, name="azure call").start()
    return future.result(timeout=seconds)


class DeadlinePolicy(SansIOHTTPPolicy[Any, Any]):
    """Last in a pipeline: a request whose caller gave up is not sent any more.

    A start that waited for its token would otherwise reach ARM long after we counted
    it as lost.
    """

    def on_request(self, request: PipelineRequest[Any]) -> None:
        deadline = request.context.options.pop("deadline", None)
        deadline = deadline or request.context.get("deadline")
        if deadline is None:
            return
        request.context["deadline"] = deadline
        if deadline.passed:
            raise ServiceRequestError("out of time before it was sent")
