"""Endpoints, audiences and hosts."""

import pytest

from control.azure.arm import is_loopback, origin, scope_of


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1:8443",
        "https://localhost/",
        "https://[::1]:1",
        "https://LOCALHOST:9",
    ],
)
def test_loopback_is_this_machine(url: str) -> None:
    """By address or by name, with any port."""
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://kv.vault.azure.net",
        "https://127.0.0.1.evil.example",
        "https://localhost.evil.example",
        "https://evil.example/localhost",
        "https://localhost@evil.example",
        "https://127.0.0.2",
        "https://10.0.0.4",
        "https://0.0.0.0",
        "localhost",
        "",
    ],
)
def test_no_other_host_is_loopback(url: str) -> None:
    """What only looks like it is not."""
    assert not is_loopback(url)


@pytest.mark.parametrize(
    ("endpoint", "scope"),
    [
        ("https://management.azure.com", "https://management.azure.com/.default"),
        ("https://management.azure.com/", "https://management.azure.com/.default"),
        ("https://127.0.0.1:8443", "https://management.azure.com/.default"),
        (
            "https://management.usgovcloudapi.net",
            "https://management.core.usgovcloudapi.net/.default",
        ),
        (
            "https://management.chinacloudapi.cn",
            "https://management.chinacloudapi.cn/.default",
        ),
    ],
)
def test_a_token_is_for_the_cloud_of_the_endpoint(endpoint: str, scope: str) -> None:
    """A sovereign cloud's own, and the public one for a local Azure."""
    assert scope_of(endpoint) == scope


def test_a_default_port_is_the_same_origin() -> None:
    """And nothing else is."""
    assert origin("https://A.example:443/x?y") == origin("https://a.example/z")
    assert origin("https://a.example:8443") != origin("https://a.example")
    assert origin("http://a.example") != origin("https://a.example")
