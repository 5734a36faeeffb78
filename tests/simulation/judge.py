"""What every judge of a life looks at, and whom it tells."""

from tests.simulation.rows import Rows
from tests.simulation.truth import Truth
from tests.simulation.verdict import Verdict
from tests.simulation.world import World


class Judge:
    """Holds what is truly so against what the app wrote, did and said."""

    def __init__(
        self, world: World, truth: Truth, rows: Rows, verdict: Verdict
    ) -> None:
        self._world = world
        self._truth = truth
        self._rows = rows
        self._verdict = verdict
