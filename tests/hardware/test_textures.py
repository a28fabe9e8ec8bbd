"""Does a texture give what it gave on an H200, between and outside its texels? Records in `textures.json`."""

from __future__ import annotations

import pytest

from gpusim.errors import LaunchError
from tests.hardware import textures

ROWS = textures.RECORDED["rows"]


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row[0]}-{textures.MODES[row[1]][15:]}-{row[2]}-{row[3]}"
)
def test_every_fetch_gives_what_it_gave(row):
    found = textures.compared(row)
    assert found.equal == len(found.recorded)


@pytest.mark.parametrize("row", [row for row in ROWS if textures.is_refused(row)][:4])
def test_what_a_gpu_clamps_without_a_word_is_refused(row):
    with pytest.raises(LaunchError, match="but clamps them"):
        textures.texture(*row[:4])


def test_the_record_holds_all_modes_of_all_textures():
    assert {tuple(row[:4]) for row in ROWS} == {
        (name, mode, linear, normalized)
        for name in textures.TEXELS
        for mode in range(4)
        for linear in range(2)
        for normalized in range(2)
    }
