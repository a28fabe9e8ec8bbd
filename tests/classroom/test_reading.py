"""Is every odd submission read and mended as it should be? Without a kernel: all of them, at once."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from classroom.mending import is_answer, is_check, mend, nbgrader_of
from classroom.reading import Unreadable, cells_in, cells_of, notebook_in
from tests.classroom.odd import ODD
from tests.classroom.small_lab import ANSWERS, LAB, instructors


def released() -> NotebookNode:
    """The students' copy, as nbgrader makes it."""
    notebook = instructors()
    for cell in notebook.cells:
        if is_answer(cell) and cell.cell_type == "code":
            cell.source = cell.source.partition("\n### BEGIN SOLUTION")[0] + "\n# YOUR CODE HERE"
    return notebook


@pytest.mark.parametrize("name", ODD)
def test_it_is_mended_or_the_reason_is_told(name: str, tmp_path: Path) -> None:
    """Locked cells, points and their order are the released ones; answers are the student's."""
    copy = released()
    for file, content in ODD[name].files(copy).items():
        (tmp_path / file).write_bytes(content)
    if ODD[name].points is None:
        with pytest.raises(Unreadable, match=ODD[name].look):
            cells_of(notebook_in(tmp_path, LAB))
        return
    mended = mend(cells_of(notebook_in(tmp_path, LAB))[0], copy)
    cells = [cell for cell in mended.notebook.cells if nbgrader_of(cell)]
    expected = [cell for cell in copy.cells if nbgrader_of(cell)]
    assert [cell.metadata for cell in cells] == [cell.metadata for cell in expected]
    for cell, original in zip(cells, expected, strict=True):
        if not is_answer(cell):
            assert cell.source == original.source
        elif ODD[name].points == 12:
            assert ANSWERS[cell.id].splitlines()[-1] in cell.source
    assert sum(map(is_check, cells)) == 3


@pytest.mark.parametrize("name", ["small.ipynb", "Small (2).IPYNB", "SMALL.Ipynb"])
def test_what_is_collected_is_read_whatever_its_case(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    assert notebook_in(tmp_path, LAB).name == name


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.ipynb"
    nbformat.write(instructors(), secret)
    folder = tmp_path / "handed-in"
    folder.mkdir()
    (folder / f"{LAB}.ipynb").symlink_to(secret)
    with pytest.raises(Unreadable, match="none"):
        notebook_in(folder, LAB)


def test_cells_of_their_own_stay_where_they_were() -> None:
    copy = released()
    answered = nbformat.from_dict(copy)
    answered.cells.insert(3, nbformat.v4.new_code_cell("mine = 1"))
    mended = mend([_handed(cell) for cell in answered.cells], copy)
    assert mended.notebook.cells[3].source == "mine = 1"
    assert mended.look == []


def test_a_pasted_picture_stays_with_its_answer() -> None:
    copy = released()
    answered = nbformat.from_dict(copy)
    written = next(cell for cell in answered.cells if is_answer(cell) and cell.cell_type == "markdown")
    pictures = {"a.png": {"image/png": "AA=="}, "b.png": "nothing", "c.png": {"image/png": 3}}
    written.update(source="![a](attachment:a.png)", attachments=pictures)
    mended = mend(cells_in(json.dumps(answered).encode())[0], copy)
    (found,) = (cell for cell in mended.notebook.cells if cell.id == written.id)
    assert found.attachments == {"a.png": {"image/png": "AA=="}}


@pytest.mark.parametrize("content", ['{"nbformat": ' + "9" * 5000 + "}", "[" * 100_000])
def test_what_no_reader_takes_is_unreadable(content: str) -> None:
    with pytest.raises(Unreadable, match="no notebook"):
        cells_in(content.encode())


def _handed(cell: NotebookNode) -> object:
    from classroom.reading import Handed

    return Handed(cell.cell_type, cell.source, cell.id, str(nbgrader_of(cell).get("grade_id", "")))
