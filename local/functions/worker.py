"""Drives azure-functions-runtime, the worker library that Azure itself runs.

It owns the event loop thread that the library lives on; callers may be many threads.
"""

import asyncio
import importlib
import json
import os
import sys
import threading
import uuid
from collections.abc import Coroutine, Iterable
from concurrent.futures import CancelledError, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import azure_functions_runtime as runtime

from local.functions import messages

_LOAD_SECONDS = 60.0
_THREADS = "PYTHON_THREADPOOL_THREAD_COUNT"


class AppError(RuntimeError):
    """The folder's function_app.py could not be loaded."""


class FunctionFailed(RuntimeError):
    """A function raised, or ran longer than the host allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function of the app with its trigger's binding."""

    id: str
    name: str
    trigger: dict[str, Any]

    @property
    def kind(self) -> str:
        return str(self.trigger["type"])


class Worker:
    """The worker library with one app loaded; one per process at a time."""

    def __init__(self, folder: Path, reload: Iterable[str] = ()) -> None:
        os.environ.setdefault(_THREADS, "32")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._folder = str(folder.resolve())
        self._running: set[Future[Any]] = set()
        _forget({"function_app", *reload})
        sys.path.insert(0, self._folder)
        try:
            self.functions = self._index()
        except BaseException:
            self.close()
            raise
        self.module = importlib.import_module("function_app")

    def call(self, function: Function, data: messages.Message, limit: float) -> Any:
        """Invoke and wait; the worker's response, or FunctionFailed."""
        response = self._run(self._invocation(function, data), limit)
        if response.result.status != messages.PROTOS.StatusResult.Success:
            failure = response.result.exception
            raise FunctionFailed(f"{failure.message}\n{failure.stack_trace}")
        return response.return_value

    def close(self, within: float = 0.0) -> bool:
        """Let running functions end for a while, then drop the app: did all end?"""
        left = wait(set(self._running), within).not_done
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(1.0)
        if not left:
            runtime.stop_threadpool_executor()
            self._loop.close()
        if self._folder in sys.path:
            sys.path.remove(self._folder)
        return not left

    def _index(self) -> tuple[Function, ...]:
        runtime.start_threadpool_executor()
        name = "worker_init_request"
        loaded = self._run(
            runtime.worker_init_request(
                messages.request(
                    name, capabilities={}, function_app_directory=self._folder
                )
            ),
            _LOAD_SECONDS,
        )
        if loaded.result.status != messages.PROTOS.StatusResult.Success:
            failure = loaded.result.exception
            raise AppError(f"{failure.message}\n{failure.stack_trace}")
        listed = self._run(runtime.functions_metadata_request(None), _LOAD_SECONDS)
        if not listed.function_metadata_results:
            raise AppError(f"no function_app.py with functions in {self._folder}")
        return tuple(map(_function, listed.function_metadata_results))

    def _invocation(
        self, function: Function, data: messages.Message
    ) -> Coroutine[Any, Any, Any]:
        parameter = messages.Parameter(name=function.trigger["name"], data=data)
        return runtime.invocation_request(  # type: ignore[no-any-return]
            messages.request(
                "invocation_request",
                invocation_id=str(uuid.uuid4()),
                function_id=function.id,
                input_data=[parameter],
                trigger_metadata={},
                trace_context=messages.Message(
                    trace_parent="", trace_state="", attributes={}
                ),
                retry_context=messages.Message(
                    retry_count=0, max_retry_count=0, exception=None
                ),
            )
        )

    def _run(self, call: Coroutine[Any, Any, Any], limit: float) -> Any:
        future = asyncio.run_coroutine_threadsafe(call, self._loop)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        try:
            return future.result(limit)
        except TimeoutError as error:
            raise FunctionFailed(f"still running after {limit:g} s") from error
        except CancelledError as error:
            raise FunctionFailed("the host is going down") from error


def _forget(names: set[str]) -> None:
    """Drop modules, so that a second app in one process starts with fresh ones."""
    for loaded in list(sys.modules):
        if any(loaded == name or loaded.startswith(f"{name}.") for name in names):
            del sys.modules[loaded]


def _function(metadata: Any) -> Function:
    bindings = [json.loads(text) for text in metadata.raw_bindings]
    triggers = [one for one in bindings if str(one["type"]).endswith("Trigger")]
    return Function(
        id=metadata.function_id, name=metadata.name, trigger=dict(triggers[0])
    )
