"""The settings, read once from a mapping that is handed in, and what follows from them.

What each is called and may be stands in `control.settings_table`.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Self

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from control.decision import Policy
from control.errors import SettingsError
from control.model import Budget
from control.settings_report import problems
from control.settings_table import Declared, MachineSetting


class Settings(Declared):
    """Every setting, checked alone and together."""

    @classmethod
    def load(cls, environ: Mapping[str, str]) -> Self:
        """Check the settings; every bad or missing one is in one `SettingsError`.

        An empty value is an unset one.
        """
        given = {name: text for name, text in environ.items() if text.strip()}
        loaded, errors = None, list[ErrorDetails]()
        try:
            loaded = cls.model_validate(given)
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False)
        found = problems(cls.model_fields, errors, given)
        if loaded is None or found:
            raise SettingsError(found)
        return loaded

    @property
    def fleet(self) -> tuple[MachineSetting, ...]:
        """The machines in their order, each with its own price, time and link."""
        return tuple(self._whole(machine) for machine in self._named())

    def _named(self) -> tuple[MachineSetting, ...]:
        if self.machines is not None:
            return self.machines
        assert self.vm_name is not None
        assert self.vm_resource_group is not None
        one = MachineSetting(name=self.vm_name, resource_group=self.vm_resource_group)
        return (one,)

    def _whole(self, machine: MachineSetting) -> MachineSetting:
        price = machine.price_per_hour or self.price_per_hour
        shutdown = machine.auto_shutdown_at or self.auto_shutdown_at
        chat = machine.chat_url or self.chat_url
        return machine.model_copy(
            update={
                "price_per_hour": price,
                "auto_shutdown_at": shutdown,
                "chat_url": chat,
            }
        )

    @property
    def budget(self) -> Budget:
        """The budget of the deployment."""
        return Budget(
            limit=self.budget_limit,
            start=datetime.combine(self.budget_from, time(), UTC),
            end=datetime.combine(self.budget_to, time(), UTC),
            standing_per_month=self.standing_cost_per_month,
        )

    def policies(self) -> Mapping[str, Policy]:
        """Return what decides about each machine, by its name, in their order."""
        fleet = self.fleet
        names = tuple(machine.name for machine in fleet)
        return {machine.name: self._policy(machine, names) for machine in fleet}

    def _policy(self, machine: MachineSetting, names: tuple[str, ...]) -> Policy:
        assert machine.price_per_hour is not None
        return Policy(
            machine=machine.name,
            control_plane=self.control_plane_name,
            price_per_hour=machine.price_per_hour,
            currency=self.currency,
            budget=self.budget,
            default_asked=_hours(self.default_hours),
            max_runtime=_hours(self.max_runtime_hours),
            expected_ready=timedelta(minutes=self.expected_ready_minutes),
            ready_deadline=timedelta(minutes=self.ready_deadline_minutes),
            idle=timedelta(minutes=self.idle_minutes),
            capacity_retry=timedelta(minutes=self.capacity_retry_minutes),
            max_starts_per_hour=self.max_starts_per_hour,
            other_machines=tuple(n for n in names if n != machine.name),
            auto_shutdown_at=machine.auto_shutdown_at,
        )


def _hours(count: Decimal) -> timedelta:
    return timedelta(microseconds=int(count * 3_600_000_000))
