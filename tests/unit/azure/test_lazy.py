"""What is not loaded until it is needed."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from control.azure.lazy import Lazy

_MAKE_ALL = """
import sys
from control.azure.budgets import AzureReports
from control.azure.credential import managed_identity
from control.azure.machines import AzureMachines
from control.azure.table import AzureTable
from control.azure.vault import VaultTokens

credential = managed_identity("client-1")
url = "https://x.example"
AzureMachines(
    credential=credential, endpoint=url, subscription="s", resource_groups={}, clock=0
)
AzureTable.by_identity(endpoint=url, name="ledger", credential=credential)
AzureTable.by_connection_string("", name="ledger")
AzureReports(credential=credential, endpoint=url, scope="/", budget="b", currency="USD")
VaultTokens(credential=credential, url=url)
heavy = {
    "azure.mgmt.compute", "azure.mgmt.consumption", "azure.keyvault.secrets",
    "azure.identity", "azure.data.tables", "msal", "apprise",
}
print(sorted(heavy & set(sys.modules)))
"""


def test_making_every_adapter_loads_no_sdk_and_asks_nobody() -> None:
    """A cold page or health check does not pay for them."""
    made = subprocess.run(
        [sys.executable, "-c", _MAKE_ALL],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert made.stdout.strip() == "[]"


def test_a_lazy_value_is_made_once() -> None:
    """Whoever asks while it is being made waits for it."""
    made = list[int]()
    go = threading.Event()

    def make() -> int:
        go.wait(5)
        made.append(1)
        return 7

    lazy = Lazy(make)
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(lazy) for _ in range(4)]
        go.set()
        assert [each.result(5) for each in asked] == [7] * 4
    assert made == [1]
