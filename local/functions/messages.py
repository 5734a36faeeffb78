"""Stand-ins for the protobuf messages that the worker library and its host exchange.

The library takes them from its caller; a bag of attributes is all that it needs.
"""

from types import SimpleNamespace
from typing import Any


class Message:
    """A message with the fields it was made with."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def WhichOneof(self, _group: str) -> str | None:  # noqa: N802 (protobuf's name)
        """Name the one field that is set."""
        set_fields = (name for name, value in vars(self).items() if value is not None)
        return next(set_fields, None)


class _Status(Message):
    Failure = 0
    Success = 1


class _Direction(Message):
    undefined = 0
    out = 1
    inout = 2


class _Cookie(Message):
    SameSite = SimpleNamespace(**{"None": 0, "Lax": 1, "Strict": 2, "ExplicitNone": 3})


class Parameter(Message):
    """One input of an invocation; its value is always data, never shared memory."""

    def WhichOneof(self, _group: str) -> str:  # noqa: N802 (protobuf's name)
        """Say that the value is in `data`."""
        return "data"


_PLAIN = (
    "FunctionLoadResponse FunctionMetadataResponse InvocationResponse NullableBool "
    "NullableDouble NullableString NullableTimestamp ParameterBinding RpcException "
    "RpcFunctionMetadata RpcHttp RpcRetryOptions Timestamp TypedData "
    "WorkerInitResponse WorkerMetadata"
)

PROTOS = SimpleNamespace(
    StatusResult=_Status,
    BindingInfo=_Direction,
    RpcHttpCookie=_Cookie,
    **dict.fromkeys(_PLAIN.split(), Message),
)


def request(name: str, **fields: Any) -> Message:
    """Wrap a call's fields as the worker's dispatcher does."""
    return Message(
        name=name,
        request=Message(**{name: Message(**fields)}),
        properties={"protos": PROTOS, "host": "127.0.0.1"},
    )
