"""A fault as a person writes it: name, count, parameters, and errors in sentences."""

import json
from typing import Any

import pytest

from local import tables
from local.azure.faults import catalogue
from local.azure.faults.armed import Faults
from local.wanted import LEDGER, OFFERS, UnknownFaultError, Wanted, wanted


def written(name: str, values: dict[str, Any]) -> str:
    """As docs/faults.md shows it, and as one writes it after FAULT=."""
    texts = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in values.items()
    }
    return f"{name}:" + ",".join(f"{key}={text}" for key, text in texts.items())


@pytest.mark.parametrize("name", sorted(OFFERS))
def test_every_fault_can_be_written_with_its_usual_values(name: str) -> None:
    """The name alone, and with each parameter as it is anyway, for two calls."""
    usual = dict(OFFERS[name].usual)
    alone, full = wanted(f"{name} {written(name, usual | {'times': 2})}")
    assert alone == Wanted(name=name)
    assert full == Wanted(name=name, times=2, parameters=usual)
    azure = Faults(catalogue.OFFERS, lambda _: lambda: None)
    ledger = tables.Faults()
    for each in (alone, full):
        each.arm(azure, ledger)
    armed = ledger.armed if name in LEDGER else azure.armed
    assert [each.name for each in armed] == [name.removeprefix("ledger_")] * 2
    assert armed[0].left is None


def test_several_faults_stand_with_spaces_between_them() -> None:
    """In their order; no text is no fault."""
    found = wanted(" conflict:times=2  throttled_by_arm:seconds=60 lingers:verb=start")
    assert [each.name for each in found] == ["conflict", "throttled_by_arm", "lingers"]
    assert [each.times for each in found] == [2, None, None]
    assert [dict(each.parameters) for each in found] == [
        {},
        {"seconds": 60},
        {"verb": "start"},
    ]
    assert wanted("") == wanted("  ") == []


def test_numbers_words_and_nothing_are_told_apart() -> None:
    """As in JSON: a wait that is missing, a switch, a fraction."""
    one, two = wanted(
        "throttled_by_compute:retry_after=null host_moves:new_boot=false,after=0.5"
    )
    assert dict(one.parameters) == {"retry_after": None}
    assert dict(two.parameters) == {"new_boot": False, "after": 0.5}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("alocation_failed", "there is no fault 'alocation_failed'; near it: alloc"),
        ("xyzzy", "there is no fault 'xyzzy' (docs/faults.md)"),
        ("conflict quta", "there is no fault 'quta'; near it: quota"),
        ("lingers:hours=2", "'lingers' takes minutes, times, verb, not 'hours=2'"),
        ("lingers:minutes", "'lingers' takes minutes, times, verb, not 'minutes'"),
        ("lingers:minutes=long", "minutes=long of 'lingers' is no number"),
        ("lingers:minutes=true", "minutes=true of 'lingers' is no number"),
        ("lingers:minutes=NaN", "minutes=NaN of 'lingers' is no number"),
        ("slow:seconds=Infinity", "seconds=Infinity of 'slow' is no number"),
        ("lingers:verb=5", "verb=5 of 'lingers' is no word"),
        ("lingers:verb=fly", "'fly' is not a valid Verb"),
        ("host_moves:new_boot=1", "new_boot=1 of 'host_moves' is neither true nor"),
        ("lingers:minutes=null", "minutes=null of 'lingers' is no number"),
        ("throttled_by_compute_newer:retry_after=soon", "retry_after=soon of"),
        (
            "ledger_reset:on=rows",
            "on=rows of 'ledger_reset' is none of all, read",
        ),
        ("conflict:on=reads", "'conflict' takes times, not 'on=reads'"),
        ("conflict:times=0", "times=0 of 'conflict' is no count above 0"),
        ("conflict:times=1.5", "times=1.5 of 'conflict' is no count above 0"),
        ("conflict:times=true", "times=True of 'conflict' is no count above 0"),
        ("conflict:times=x", "times=x of 'conflict' is no count above 0"),
        ("while_busy:answer=perhaps", "'perhaps' is not a valid Busy"),
        ("start_fails:leaves=gone", "'gone' is not a valid Power"),
        ("boots_late:shows=running", "no 'running': deallocated, starting"),
        ("budget_unsupported:wording=x", "no 'x': sponsored, older, type, account"),
        ("quota:wording=x", "no 'x': cores, unwrapped, preflight"),
        ("vm_not_found:wording=x", "no 'x': now, old, compute"),
        ("not_allowed:why=x", "no 'x': extension, running, not_deallocated, gener"),
        ("bucket_empty:bucket=x", "no 'x': UpdateVM, DeleteVM, LowCostGet, GetOper"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(text: str, words: str) -> None:
    """What was written, and what may be."""
    with pytest.raises(UnknownFaultError) as caught:
        wanted(text)
    assert words in str(caught.value)
