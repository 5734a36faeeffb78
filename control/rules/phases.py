"""How a session's time divides into phases; pure, standard library only.

Before the first heartbeat it allocates; of the time ready, what the VM last said it
had been idle is idle.
"""

from datetime import datetime

from control.model import Heartbeat, Lease, Session
from control.words import Phase

ALLOCATE = "allocate_s"
READY = "ready_s"
IDLE = "idle_s"
NAMES = (
    ALLOCATE,
    *(
        f"{phase}_s"
        for phase in Phase
        if phase not in {Phase.READY, Phase.BROKEN, Phase.DRAINING}
    ),
    READY,
    IDLE,
)


def so_far(lease: Lease, session: Session, until: datetime) -> dict[str, int]:
    """Return the seconds spent in each phase until an instant."""
    name = f"{lease.phase}_s" if lease.phase else ALLOCATE
    since = lease.phase_since or session.requested_at
    spent = max(int((until - since).total_seconds()), 0)
    return session.phases | {name: session.phases.get(name, 0) + spent}


def whole(
    lease: Lease, session: Session, beat: Heartbeat | None, until: datetime
) -> dict[str, int]:
    """Return the seconds of a session that has ended, with its idle time apart."""
    spent = so_far(lease, session, until)
    idle = int(beat.idle_seconds) if beat and beat.idle_seconds else 0
    idle = min(idle, spent.get(READY, 0))
    if idle:
        spent |= {READY: spent[READY] - idle, IDLE: idle}
    return spent
