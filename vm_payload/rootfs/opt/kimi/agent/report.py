"""What a heartbeat says; the form is the control plane's `POST /vm/heartbeat`."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

PHASES = (
    *("disk", "weights", "seeding", "gpu", "loading", "edge"),
    *("ready", "broken", "draining"),
)
GAUGES = (
    *("requests_running", "requests_waiting", "open_connections"),
    *("idle_seconds", "prompt_tokens_total", "generation_tokens_total"),
)
_LONGEST = 300


def body(
    *,
    machine: str,
    boot_id: str,
    uptime: float,
    phase: Mapping[str, Any],
    gauges: Mapping[str, Any],
    lease: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the report; a gauge that is not known is null.

    Args:
        machine: its name.
        boot_id: the kernel's id of this boot.
        uptime: seconds since boot.
        phase: `phase`, `progress` and `detail`, as they stand on the board.
        gauges: those of GAUGES that are known.
        lease: `armed_until` and `cap_at` in Unix time, `ending`, `release_failed`.
    """
    said = phase.get("phase")
    ending = lease.get("ending")
    draining = ending is not None or lease.get("draining") is True
    told = said if said in PHASES else PHASES[0]
    detail = phase.get("detail")
    return {
        "machine": machine,
        "boot_id": boot_id,
        "uptime_s": int(uptime),
        "phase": "draining" if draining else told,
        "progress": None if draining else phase.get("progress"),
        "detail": detail[:_LONGEST] if isinstance(detail, str) else None,
        **{name: gauges.get(name) for name in GAUGES},
        "armed_until": _stamp(lease.get("armed_until")),
        "cap_at": _stamp(lease.get("cap_at")),
        "ending": ending,
        "release_failed": lease.get("release_failed") is True,
    }


def _stamp(at: float | None) -> str | None:
    if at is None:
        return None
    return datetime.fromtimestamp(round(at), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
