"""The notification sink keeps whatever is posted."""

import httpx

from local.azure import LocalAzure


def test_a_notice_is_kept(azure: LocalAzure) -> None:
    """Any path and type; the fault that closes the door keeps nothing."""
    azure.faults.arm("sink_error")
    with httpx.Client(base_url=azure.sink_url, trust_env=False) as client:
        assert client.post("/a", content="lost").status_code == 500
        assert client.post("/b", json={"title": "On"}).status_code == 200
    (notice,) = azure.sink.wait_for(1)
    assert (notice.path, notice.content_type) == ("/b", "application/json")
    assert notice.body == '{"title":"On"}'
