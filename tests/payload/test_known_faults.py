"""What scripts of this kind got wrong when they were really run, and which test has it.

Each fault burned money, opened a door, or served wrong weights; a payload that has it
again fails the tests named beside it. Those of the model's own part, of the watcher for
idleness and of the edge come with these.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

FAULTS = {
    "the marker is one of the blobs, so half a restore counts as a whole one": (
        "weights: killed_in_the_middle_it_goes_on, f03_blank_disks_are_filled_anew"
    ),
    "wrong weights are never fetched again, and every later start fails": (
        "weights: right_size_with_wrong_bytes_is_repaired, f03_a_half_filled_disk_is_"
        "completed"
    ),
    "only sizes are compared": (
        "weights: right_size_with_wrong_bytes_is_repaired"
        " azcopy: f07_what_it_says_counts_for_nothing"
    ),
    "an empty manifest is a whole one": (
        "weights: a_manifest_that_is_not_whole_is_an_error"
        " manifest: a_faulty_manifest_is_refused"
    ),
    "the manifest's last line is not looked at": (
        "manifest: a_cut_manifest_is_never_whole"
    ),
    "uploads carry no checksum": (
        "seed: the_hubs_files_come_to_blob_and_are_sealed, a_blob_of_another_size_or_"
        "origin_is_put_anew"
    ),
    "writing the weights stays allowed": (
        "seed: it_is_not_done_while_writing_is_allowed, the_machine_cannot_give_itself_"
        "the_role weights_commands: seal_takes_it_away_and_looks"
    ),
    "an array with another name, after a plain reboot, is not blank": (
        "disk: a_plain_reboot_keeps_the_array, what_the_image_mounted_itself_is_adopted"
    ),
    "disks are known by their names or numbers": (
        "disk: f01_the_os_disk_may_be_nvme_at_any_number, f01_only_blank_local_disks_"
        "are_ever_taken"
    ),
    "a restore may take hours, and nobody hears of its end": (
        "units: a_oneshot_has_a_limit_in_time, f15_its_restart_limit_really_trips"
        " boot: what_moves_is_given_time_and_what_hangs_is_ended"
    ),
    "a failed dependency is never tried again": (
        "units: the_chain_is_ordered weights: f04_without_the_disks_nothing_is_written"
        " boot: a_machine_that_can_not_come_up_is_told_of_and_given_back"
    ),
    "a start limit trips at once, or never": (
        "units: f15_its_restart_limit_really_trips"
    ),
    "a missing environment file stops what must go on": (
        "units: the_lease_waits_for_nobody"
    ),
    "azcopy leaves temporary files, and wrong bytes of the right size": (
        "azcopy: f07_what_it_brought_right_is_taken, f07_what_it_says_counts_for_"
        "nothing"
    ),
    "azcopy hangs for ever": ("azcopy: f07_it_may_not_hang"),
    "a secret is null, empty, or anything": ("secrets: what_is_no_key_is_refused"),
    "the metadata service is asked once": (
        "secrets: the_metadata_service_may_come_late"
        " bootstrap: a_late_metadata_service_is_ridden_out"
    ),
    "a request has no end": (
        "ranges: a_server_that_says_nothing_is_left"
        " heartbeat: a_silent_control_plane_is_left_in_time"
        " bootstrap: a_storage_account_that_hangs_is_given_up"
    ),
    "a token stands in an argument": ("secrets: no_verb_is_told_a_secret"),
    "one unit takes another's folder of secrets away": (
        "secrets: secrets_come_with_owner_and_mode"
        " units: the_board_is_for_root_and_the_agent"
    ),
    "pins are lost when they are written again": (
        "bootstrap: pins_are_merged, pins_never_lose_a_line"
    ),
    "a refused deallocation is asked again much later, or never": (
        "heartbeat: a_refused_deallocation_is_said"
        " lease: a_refused_deallocation_is_told_and_repeated"
    ),
    "the watcher dies of one call that hangs": (
        "boot: what_never_ends_is_begun_anew"
        " heartbeat: a_silent_control_plane_is_left_in_time"
    ),
    "state of an earlier boot ends this one": (
        "lease: another_session_has_a_cap_of_its_own, a_reboot_does_not_begin_the_cap_"
        "anew"
    ),
    "a torn state ends a healthy machine, or keeps it for ever": (
        "lease: a_full_board_stops_nothing, a_strange_answer_is_none"
        " secrets: a_torn_write_never_has_the_name"
    ),
    "a machine that never comes up is not given back": (
        "lease: unheard_and_unready_it_ends_at_the_boot_deadline"
        " heartbeat: past_the_boot_deadline_a_failed_unit_releases"
        " bootstrap: a_machine_whose_lease_nobody_keeps_leaves"
    ),
    "it powers off, which Azure bills": ("heartbeat: nothing_here_powers_off"),
    "a template's text becomes shell": (
        "cloud_init: no_shell_and_no_version_is_in_it"
        " units: it_calls_one_verb_without_a_shell"
    ),
    "cloud-init passes over a key that it does not know": (
        "cloud_init: a_wrong_template_is_named, the_real_cloud_init_takes_it"
    ),
    "what must happen at each boot is in what runs once": (
        "cloud_init: f03_nothing_needed_lives_in_it_alone"
        " boot: a_new_machine_brings_itself_up_and_so_does_its_disk_alone"
    ),
    "custom data is too large, or packed as no tool sends it": (
        "cloud_init: too_much_is_refused, it_is_small_and_always_the_same"
    ),
    "driver and kernel upgrade themselves": (
        "cloud_init: f06_driver_and_kernel_are_never_upgraded, f06_nothing_upgrades_by_"
        "itself"
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_it_has_its_tests(fault: str) -> None:
    """Under the very names that are written here."""
    named = list(_named(FAULTS[fault]))
    assert named
    missing = [each for module, each in named if each not in _tests(module)]
    assert missing == []


def _named(text: str) -> list[tuple[str, str]]:
    found, module = [], ""
    for word in text.split():
        if word.endswith(":"):
            module = word[:-1]
        else:
            found.append((module, word.rstrip(",")))
    return found


@cache
def _tests(module: str) -> set[str]:
    text = Path(__file__).with_name(f"test_{module}.py").read_text()
    there = ast.walk(ast.parse(text))
    names = (each.name for each in there if isinstance(each, ast.FunctionDef))
    return {name.removeprefix("test_") for name in names if name.startswith("test_")}
