"""An Azure on loopback: ARM, budgets, identity, vaults, prices, a sink, a GPU VM."""

from local.azure.budgets import Budget
from local.azure.guest import Habits
from local.azure.loopback import LocalAzure, Ports
from local.azure.phases import Phase
from local.azure.plan import Power, Verb
from local.azure.price_rows import Price
from local.azure.routing import Kind
from local.azure.spec import Spec, Timings

__all__ = [
    "Budget",
    "Habits",
    "Kind",
    "LocalAzure",
    "Phase",
    "Ports",
    "Power",
    "Price",
    "Spec",
    "Timings",
    "Verb",
]
