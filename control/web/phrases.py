"""Spans, times of day and amounts in full words; pure."""

from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from control.rules import money
from control.said.book import counted
from control.said.status import Aside
from control.views import View
from control.web.documents import amount
from control.web.site import Place

_DAY = timedelta(days=1)


def span(of: timedelta) -> str:
    """Say a span: 1 hour 12 minutes."""
    minutes = int(of.total_seconds() // 60)
    parts = [
        counted(count, word)
        for count, word in ((minutes // 60, "hour"), (minutes % 60, "minute"))
        if count
    ]
    return " ".join(parts) or Aside.UNDER_A_MINUTE.say()


def clock(at: datetime, now: datetime, zone: ZoneInfo) -> str:
    """Say a time of day, and the day where it is another one."""
    local = at.astimezone(zone)
    time = f"{local:%H:%M}"
    if local.date() == now.astimezone(zone).date():
        return time
    return Aside.ON_DAY.say(at=time, day=f"{local:%A}")


def told(value: object, now: datetime, zone: ZoneInfo) -> object:
    """Say an instant as a time of day; anything else stays as it is."""
    return clock(value, now, zone) if isinstance(value, datetime) else value


def cost(price_per_hour: Decimal, of: timedelta, currency: str) -> str:
    """Say what a span costs."""
    return f"{amount(money.cents(money.span_cost(price_per_hour, of)))} {currency}"


def named(said: str, view: View, place: Place) -> str:
    """Name the machine behind the outcome, where there are several."""
    if len(place.policies) == 1:
        return said
    head, dot, rest = said.partition(".")
    return f"{head} ({view.policy.machine}){dot}{rest}"


def crossing(view: View, place: Place) -> str:
    """Warn that Azure's own daily shutdown ends a lease that crosses it."""
    at = view.lease.expires_at if view.lease else None
    shutdown = view.policy.auto_shutdown_at
    if at is None or shutdown is None:
        return ""
    ends = datetime.combine(view.now.date(), shutdown, view.now.tzinfo)
    ends = ends if ends > view.now else ends + _DAY
    if ends >= at:
        return ""
    return Aside.CROSSING.say(at=clock(ends, view.now, place.zone))
