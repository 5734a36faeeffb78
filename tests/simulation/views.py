"""What the instance views said before: Azure's may be a minute late."""

import json
from collections import deque
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from local.azure.estate import Estate
from local.azure.views import power_status, provisioning_status
from local.azure.wire import Reply

_KEPT = timedelta(minutes=10)

type Statuses = list[dict[str, Any]]


class Views:
    """The statuses of each machine since when they stand."""

    def __init__(self, azure: Estate) -> None:
        self._azure = azure
        self._seen: dict[str, deque[tuple[datetime, object, Statuses]]] = {
            vm.name: deque() for vm in azure.vms
        }

    def note(self, now: datetime) -> None:
        """Keep what every view shows, where it changed."""
        for vm in self._azure.vms:
            machine, seen = vm.machine, self._seen[vm.name]
            key = machine.shown, machine.provisioning
            if seen and seen[-1][1] == key:
                continue
            statuses = [provisioning_status(machine.provisioning)]
            if machine.shown is not None:
                statuses.append(power_status(machine.shown))
            seen.append((now, key, statuses))
            while len(seen) > 1 and seen[1][0] < now - _KEPT:
                seen.popleft()

    def late(self, reply: Reply, machine: str, at: datetime) -> Reply:
        """Return a view as it was at an instant."""
        body = reply.json()
        then = [statuses for since, _, statuses in self._seen[machine] if since <= at]
        if not then or not isinstance(body, dict) or "properties" not in body:
            return reply
        body["properties"].setdefault("instanceView", {})["statuses"] = then[-1]
        return replace(reply, body=json.dumps(body).encode())
