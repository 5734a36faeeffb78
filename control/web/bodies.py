"""Inbound bodies: what each may hold, and a 422 that names the field that is wrong."""

import json
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal, NoReturn

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
)
from pydantic_core import ErrorDetails

from control.decision import Ask, Policy
from control.model import Heartbeat, ensure_utc
from control.said.book import lowered
from control.said.problems import Detail
from control.said.wrong import Wrong
from control.web.auth import Caller
from control.web.durations import Number, TimeOfDay, next_time
from control.web.http import Request
from control.web.problems import Refused, refuse
from control.web.site import Place
from control.words import Ending, Phase, Purpose

LARGEST = 16 * 1024

type Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
type Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
type Count = Annotated[int, Field(ge=0)]
type Instant = Annotated[AwareDatetime, AfterValidator(ensure_utc)]


class Body(BaseModel):
    """A body of ours: an unknown field is a typing error that must not pass."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class StartBody(Body):
    """How long, at most one of three; nothing is the default time."""

    hours: Number | None = Field(None, description="How many hours, such as 2 or 1.5.")
    minutes: Number | None = Field(None, description="How many minutes.")
    until: TimeOfDay | None = Field(
        None, description="The next such time of day in TIME_ZONE, such as 18:00."
    )
    note: str = Field("", max_length=2000, description="A note for the ledger.")
    purpose: Literal["work", "setup"] = Field(
        "work", description="`setup` (operator only) is the first download."
    )


class ExtendBody(Body):
    """How many minutes more."""

    minutes: Number = Field(description="Added to the deadline.")


class PairBody(Body):
    """A pairing code as it was typed or scanned."""

    code: str = Field(max_length=64, description="Ten characters, once, 10 minutes.")


class HeartbeatBody(BaseModel):
    """What the VM says of itself every 30 seconds; an unknown number is null."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    machine: str = Field(max_length=64)
    boot_id: str = Field(min_length=1, max_length=64)
    uptime_s: Seconds | None = None
    phase: Phase
    progress: Share | None = None
    detail: str | None = None
    requests_running: Count | None = None
    requests_waiting: Count | None = None
    open_connections: Count | None = None
    idle_seconds: Seconds | None = None
    prompt_tokens_total: Count | None = None
    generation_tokens_total: Count | None = None
    armed_until: Instant | None = None
    cap_at: Instant | None = None
    ending: Ending | None = None
    release_failed: bool = False

    def heartbeat(self, received_at: datetime) -> Heartbeat:
        """Return the heartbeat as it was received."""
        said = self.model_dump() | {"detail": self.detail or ""}
        return Heartbeat(received_at=received_at, **said)


def read[B: BaseModel](kind: type[B], request: Request) -> B:
    """Read a JSON body; an empty one is an object without fields."""
    try:
        said = json.loads(
            request.body or b"{}", parse_float=Decimal, parse_constant=_no_number
        )
    except (ValueError, ArithmeticError, RecursionError):
        raise bad("body", Wrong.NOT_JSON.of()) from None
    if not isinstance(said, dict):
        raise bad("body", Wrong.NOT_OBJECT.of())
    try:
        return kind.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise bad(str((first["loc"] or ("body",))[0]), _why(first)) from None


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _why(error: ErrorDetails) -> object:
    message, more = error["msg"], error.get("ctx", {})
    match error["type"]:
        case "missing":
            return Wrong.MISSING.of()
        case "extra_forbidden":
            return Wrong.UNKNOWN.of()
        case "value_error":
            return more["error"]
        case "string_type":
            return Wrong.NO_TEXT.of()
        case "string_too_long":
            return Wrong.TOO_LONG.of(most=more.get("max_length"))
        case "literal_error":
            return Wrong.NOT_ONE_OF.of(known=more.get("expected"))
        case _:
            return Wrong.UNUSABLE.of(why=lowered(message))


def bad(field: str, why: object) -> Refused:
    """Return the 422 for one field of a body."""
    return refuse(Detail.BAD_BODY.of(field=field, why=why), field=field)


def capped(field: str, number: Decimal, most: Decimal, unit: str) -> Decimal:
    """Return the number, unless it is above the cap."""
    if number > most:
        raise bad(field, Wrong.TOO_MUCH.of(most=f"{most.normalize():f}", unit=unit))
    return number


def ask(
    body: StartBody, caller: Caller, policy: Policy, place: Place, now: datetime
) -> Ask:
    """Return what was asked for, by whom."""
    named = [f for f in ("hours", "minutes", "until") if getattr(body, f) is not None]
    if len(named) > 1:
        raise bad(named[1], Wrong.BESIDE.of(other=named[0]))
    if body.purpose == "setup" and not caller.operates:
        raise refuse(Detail.SET_UP.of())
    until = next_time(body.until, place.zone, now) if body.until else None
    return Ask(
        device=caller.device,
        asked=_asked(body, policy),
        until=until,
        max_hours=caller.max_hours,
        note=body.note,
        purpose=Purpose(body.purpose),
    )


def _asked(body: StartBody, policy: Policy) -> timedelta | None:
    most = hours(policy.max_runtime)
    if body.hours is not None:
        return _span(capped("hours", body.hours, most, "hours") * 60)
    if body.minutes is not None:
        return _span(capped("minutes", body.minutes, most * 60, "minutes"))
    return None


def hours(span: timedelta) -> Decimal:
    """Return a span in hours, exact."""
    return Decimal(span // timedelta(microseconds=1)) / Decimal(3_600_000_000)


def _span(minutes: Decimal) -> timedelta:
    return timedelta(microseconds=max(int(minutes * 60_000_000), 1))
