"""Differences that many recordings share, each with its reason."""

STRIPPED = {
    "x-ms-request-id": "the recorder of azure-cli strips it",
    "x-ms-ratelimit-remaining-subscription-reads": "and this one",
}
WAITS = {"retry-after": "the recorder of azure-cli strips it; the .NET one kept it"}
SERVER = {"server": "ours is one server for the gateway and for Compute"}
ZEROED = {"retry-after": "the recorder of Java writes 0 into every answer"}
NOT_COUNTED = {
    "x-ms-ratelimit-remaining-subscription-writes": "ours tells what is left only "
    "where it took the call; nothing of ours reads it"
}
NOT_COUNTED_EITHER = NOT_COUNTED | {
    "x-ms-ratelimit-remaining-resource": "the same for the machine's windows"
}
