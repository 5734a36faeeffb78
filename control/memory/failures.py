"""Errors that twins raise when they were told to."""

from collections import defaultdict

from control.errors import AzureError


class Failures:
    """Errors that the next calls raise: so many times, or until taken back."""

    def __init__(self) -> None:
        self._planned = defaultdict[str, list[AzureError]](list)
        self._lasting: dict[str, AzureError] = {}

    def plan(self, verb: str, error: AzureError, times: int | None) -> None:
        if times is None:
            self._lasting[verb] = error
        else:
            self._planned[verb] += [error] * times

    def clear(self) -> None:
        self._planned.clear()
        self._lasting.clear()

    def meet(self, verb: str) -> None:
        if self._planned[verb]:
            raise self._planned[verb].pop(0)
        if verb in self._lasting:
            raise self._lasting[verb]
