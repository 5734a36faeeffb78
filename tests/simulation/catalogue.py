"""Everything that may happen in a life, by name."""

from collections.abc import Mapping

from tests.simulation import azure, guests, outsiders, people, spells
from tests.simulation.happening import Happening

GROUPS: Mapping[str, Mapping[str, Happening]] = {
    "people": people.HAPPENINGS,
    "outsiders": outsiders.HAPPENINGS,
    "guests": guests.HAPPENINGS,
    "spells": spells.HAPPENINGS,
    "azure": azure.HAPPENINGS,
}
HAPPENINGS: Mapping[str, Happening] = {
    name: happening for group in GROUPS.values() for name, happening in group.items()
}
assert len(HAPPENINGS) == sum(map(len, GROUPS.values())), "two of one name"
