"""How much has come is counted while other processes bring it."""

from pathlib import Path
from threading import Thread

from agent.fetch import PART
from agent.restore import there

_FILES = 2_000


def test_a_file_that_takes_its_place_meanwhile_is_counted(tmp_path: Path) -> None:
    """It fell between two looks, and ended the restore that it only should tell of."""
    places = [tmp_path / f"{at}.safetensors" for at in range(_FILES)]
    for place in places:
        place.with_name(place.name + PART).write_bytes(b"x")

    def arrive() -> None:
        for place in places:
            place.with_name(place.name + PART).replace(place)

    arriving = Thread(target=arrive)
    arriving.start()
    counts = [there(place) for place in places]
    while arriving.is_alive():
        counts += [there(place) for place in places]
    arriving.join()
    assert set(counts) == {1}


def test_nothing_counts_as_nothing(tmp_path: Path) -> None:
    """Neither at its place nor on its way."""
    assert there(tmp_path / "config.json") == 0
