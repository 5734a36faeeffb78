"""Every fault by name, in the groups that docs/faults.md shows."""

from collections.abc import Mapping

from local.azure.faults import (
    budgets,
    identity,
    machines,
    metadata,
    notices,
    operations,
    polls,
    prices,
    refused,
    throttled,
    vaults,
    views,
)
from local.azure.faults.kinds import Fault
from local.offer import Offer

GROUPS: Mapping[str, Mapping[str, Offer[Fault]]] = {
    "Azure refuses, or its answer is lost": refused.OFFERS,
    "Azure asks to wait": throttled.OFFERS,
    "An accepted operation takes another course": operations.OFFERS,
    "The operation's URL": polls.OFFERS,
    "The instance view": views.OFFERS,
    "The machine and other people": machines.OFFERS,
    "Key Vault": vaults.OFFERS,
    "The identity endpoint": identity.OFFERS,
    "The machine's metadata service": metadata.OFFERS,
    "Azure's budget figure": budgets.OFFERS,
    "The price list": prices.OFFERS,
    "Notices": notices.OFFERS,
}
OFFERS: Mapping[str, Offer[Fault]] = {
    name: offer for group in GROUPS.values() for name, offer in group.items()
}
assert len(OFFERS) == sum(map(len, GROUPS.values())), "two faults of one name"
