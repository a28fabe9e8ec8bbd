"""How do numbers leave the notebook? Rows with named columns become CSV, or a table of pandas.

A `Table` is given its columns, so that their order is the same for every run.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, TextIO

Destination = str | PathLike[str] | TextIO | None


@dataclass(frozen=True)
class Table:
    """Rows, of which the `columns` are shown; a row without one of them has nothing to say there."""

    columns: Sequence[str]
    rows: Sequence[Mapping[str, Any]]

    def to_csv(self, path_or_buffer: Destination = None) -> str | None:
        """Write the table as CSV (UTF-8, one line of headings) to a path or an open file.

        Without either, return the text, as pandas does.
        """
        if isinstance(path_or_buffer, str | PathLike):
            with Path(path_or_buffer).open("w", encoding="utf-8", newline="") as file:
                self._write(file)
            return None
        if path_or_buffer is not None:
            if not hasattr(path_or_buffer, "write"):
                raise TypeError(
                    f"to_csv writes to a path or an open file, not to {type(path_or_buffer).__name__}"
                )
            self._write(path_or_buffer)
            return None
        text = io.StringIO()
        self._write(text)
        return text.getvalue()

    def _write(self, file: TextIO) -> None:
        writer = csv.DictWriter(file, self.columns, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`. Raises `ModuleNotFoundError` where pandas is not installed."""
        try:
            pandas = import_module("pandas")
        except ModuleNotFoundError as missing:
            raise ModuleNotFoundError(
                f"{missing.name} is not installed; to_pandas() needs it: pip install pandas. "
                "to_csv() and as_dict() need nothing",
                name=missing.name,
            ) from missing
        rows = [[row.get(column) for column in self.columns] for row in self.rows]
        return pandas.DataFrame(rows, columns=list(self.columns))
