"""The fault table of DESIGN.md: who notices what, how soon, and what it costs at most.

`python -m tests.simulation.bounds` writes it; a test checks that it was run, and that
every happening of the simulator stands in it once. The seconds are those that the
invariants assert.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from tests.simulation.catalogue import HAPPENINGS
from tests.simulation.pressing import KEEPER, WITHIN
from tests.simulation.report import usd

DESIGN = Path(__file__).parents[2] / "DESIGN.md"
_BLOCK = re.compile(r"(?<=<!-- bounds -->\n).*?(?=<!-- /bounds -->)", re.DOTALL)
_CAP = timedelta(hours=4)
_TOLD = "what must end is told to end"
_LEASED = "nothing of ours bills without a lease"
_COUNTED = "every billed second is in a session"
_HEALTHY = "a healthy session is never ended"
_ITSELF = "the VM ends itself"
_ONE = "one lease, one open session"
_OFF = "a session ends when the machine is off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Faults that are noticed alike; `span` is what may be billed beyond the end."""

    what: str
    names: str
    noticed: str
    span: timedelta = WITHIN
    more: str = ""
    shown: tuple[str, ...] = (_TOLD,)


BOUNDS = (
    Bound(
        what="People tap, twice, in panic, at once",
        names="start set_up stop extend lock page ledger used",
        noticed="the call itself",
        shown=(_ONE, _HEALTHY, _COUNTED),
    ),
    Bound(
        what="Azure refuses a write, or asks to wait",
        names="conflict power_is_changing another_operation marked_deallocated "
        "marked_for_deletion platform_update not_allowed quota sku_not_available "
        "permission group_missing disabled_subscription warned_subscription "
        "region_policy not_registered scope_lock scope_lock_on_stop force_refused "
        "throttled_by_compute throttled_by_compute_newer throttled_by_arm "
        "throttled_by_storage bucket_empty throttled_resource too_many_requests "
        "network_busy while_busy token_expired vm_not_found subscription_not_found",
        noticed="the call; every tick sends the deallocate again, the VM its own each "
        "minute; an alarm after 3 min, at once where waiting does not mend it",
        more="while Azure refuses both",
    ),
    Bound(
        what="Azure's answer is lost, late or nothing",
        names="unavailable unreachable gateway_timeout answer_lost done_at_once "
        "arm_slow arm_too_slow long_wait",
        noticed="the call; a start counts as unanswered for 2 min, then as failed, and "
        "its cost in full; the next tick sends a deallocate again",
        shown=(_TOLD, "one answered start in flight", _COUNTED),
    ),
    Bound(
        what="ARM does not say how the machine is",
        names="reads_throttled no_power_state power_unknown two_power_states "
        "no_statuses null_statuses no_instance_view only_updating deleting",
        noticed="the reading: unknown; deadlines hold without it; an alarm after "
        "10 min",
        more="for a machine that others start, while it lasts",
        shown=(_TOLD, _HEALTHY),
    ),
    Bound(
        what="ARM's view is late or says what is not so",
        names="views_late hibernated failed_running starts_as_stopped",
        noticed="the next true view; a heartbeat of the last minute outweighs "
        "`deallocated` and 404",
        more="while the view lies and the VM is silent",
        shown=(_LEASED, _HEALTHY),
    ),
    Bound(
        what="ARM's view says it oddly",
        names="updating generalized no_agent agent_unavailable extension_not_ready "
        "power_first power_code_lower_case one_more_status creating "
        "succeeded_in_progress",
        noticed="nobody needs to: money follows the power state alone",
        shown=(_HEALTHY, _OFF),
    ),
    Bound(
        what="The operation's URL is of no use",
        names="poll_not_found poll_forbidden poll_error poll_unavailable "
        "poll_throttled poll_other_status poll_nested_error offset_times "
        "other_api_version location_only no_operation_url long_url",
        noticed="the next run takes the outcome from ProvisioningState",
        shown=(_HEALTHY, "one answered start in flight"),
    ),
    Bound(
        what="A start fails, lasts, or is declared dead and comes later",
        names="allocation_failed start_fails os_provisioning_timed_out start_timed_out "
        "boots_late extension_failed start_preempted never_ends lingers start_takes",
        noticed="the tick after it comes on: adopted and released (row 19)",
        shown=(_LEASED, _TOLD, _COUNTED),
    ),
    Bound(
        what="A deallocate does not hold",
        names="stop_takes stop_runs_on stop_fails",
        noticed="the next tick reads that it bills and sends another; an alarm after "
        "3 min",
        more="while Azure is at it",
        shown=(_TOLD, _OFF),
    ),
    Bound(
        what="Others start, stop or take the machine",
        names="portal_start portal_stop portal_power_off portal_start_stop "
        "stopped_outside powered_off_outside powered_off_while_off started_outside "
        "evicted subscription_disabled gone shut_down_inside rebooted host_moves",
        noticed="the next tick: adopted, closed, or released as shut down",
        more="a run between two ticks is in no session",
        shown=(_LEASED, _COUNTED),
    ),
    Bound(
        what="Another control plane has its name on it",
        names="foreign_tag foreign_run",
        noticed="the next reading; it is left alone, and not ours to pay for",
        span=timedelta(0),
        more="without a lease of ours",
        shown=(_LEASED, _HEALTHY),
    ),
    Bound(
        what="The guest is stuck, broken, silent or wrong about itself",
        names="silent stuck broken gives_up clock_wrong idle_carried_over",
        noticed="`never_ready` or `not_responding` after 75 min, `broken` after "
        "10 min; its clock is never asked",
        span=timedelta(minutes=75) + WITHIN,
        more="within the lease",
        shown=(_TOLD, _HEALTHY),
    ),
    Bound(
        what="The VM's own lease keeper is dead",
        names="keeper_dead keeper_and_heart_dead",
        noticed="the tick after the deadline",
    ),
    Bound(
        what="The timer does not run, or not when it should",
        names="ticks_lost ticks_late ticks_doubled",
        noticed="every call and heartbeat runs the loop; `/healthz` after 3 min; the "
        "VM ends itself at its deadline",
        span=KEEPER,
        shown=(_ITSELF, _ONE),
    ),
    Bound(
        what="The app is away",
        names="app_away",
        noticed="the VM, at the deadline that it was told last",
        span=KEEPER,
        shown=(_ITSELF,),
    ),
    Bound(
        what="A process dies between any two steps",
        names="dies",
        noticed="the next tick",
        shown=(_TOLD, _LEASED, _ONE),
    ),
    Bound(
        what="The ledger cannot be read",
        names="ledger_unreachable ledger_reads",
        noticed="every tick: ARM alone ends what runs longer than `MAX_RUNTIME_HOURS` "
        "since its last operation; the VM at its own deadline",
        span=_CAP + WITHIN,
        more="a restart or an update begins the 4 h anew",
    ),
    Bound(
        what="The ledger cannot be written, is slow or loses its answers",
        names="ledger_writes ledger_slow ledger_lost_answers ledger_money",
        noticed="the write is read again; a deallocate is sent without it, a start is "
        "not",
        shown=(_TOLD, _ONE, "closed rows never change"),
    ),
    Bound(
        what="The vault, prices, Azure's budget figure or notices are away or wrong",
        names="vault_away prices_away price_says budget_away budget_says notices_away",
        noticed="the call; nothing of them decides an end, and none loosens a limit",
        shown=("a deadline moves later by rule alone", _TOLD),
    ),
    Bound(
        what="Azure bills by another reading of its pages",
        names="starting_is_free five_minutes_at_least",
        noticed="nobody: the ledger counts the dearer one",
        span=timedelta(0),
        shown=(_COUNTED,),
    ),
)


def table() -> str:
    """Return the table in Markdown."""
    return "\n".join(_lines()) + "\n"


def unbound() -> tuple[set[str], set[str]]:
    """Return happenings without a bound, and names in bounds that do not happen."""
    named = [name for bound in BOUNDS for name in bound.names.split()]
    twice = {name for name in named if named.count(name) > 1}
    return set(HAPPENINGS) - set(named) | twice, set(named) - set(HAPPENINGS)


def _lines() -> Iterator[str]:
    yield "| fault | who notices, and when | billed beyond, at most | shown by |"
    yield "|---|---|---|---|"
    for bound in BOUNDS:
        names = ", ".join(f"`{name}`" for name in bound.names.split())
        cells = (
            f"**{bound.what}**: {names}",
            bound.noticed,
            _at_most(bound),
            "; ".join(bound.shown),
        )
        yield f"| {' | '.join(cells)} |"


def _at_most(bound: Bound) -> str:
    seconds = bound.span.total_seconds()
    more = f"; {bound.more}" if bound.more else ""
    if not seconds:
        return f"nothing{more}"
    minutes = f"{seconds / 60:g} min, {usd(seconds)} USD"
    return f"{minutes}, and Azure's own time{more}"


def main() -> None:
    """Write the table into DESIGN.md."""
    text = DESIGN.read_text(encoding="utf-8")
    DESIGN.write_text(_BLOCK.sub(lambda _: table(), text), encoding="utf-8")


if __name__ == "__main__":
    main()
