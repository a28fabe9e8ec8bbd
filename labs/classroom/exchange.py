"""What lies in the inbound folder of nbgrader's exchange? `ada+coalescing+<time>+<key>/` for a submission.

Every student can write there, so a folder counts only for the account that owns it: `ada`, or `jupyter-ada`
as The Littlest JupyterHub names it. Of several the last one counts.
"""

from __future__ import annotations

import pwd
import stat
from contextlib import suppress
from pathlib import Path

TLJH = "jupyter-"


def is_of_exchange(folder: str) -> bool:
    """Does its name have the form that nbgrader gives? Only there is a `timestamp.txt` nbgrader's."""
    return folder.count("+") >= 2


def left_out(source: Path) -> dict[str, str]:
    """Which folders of this one are not to be taken, and why?"""
    why, last = dict[str, str](), dict[tuple[str, ...], str]()
    for folder in sorted(source.iterdir()):  # by time, for a student and a lab
        name, told = folder.name, folder.lstat()
        parts = name.split("+")
        if not is_of_exchange(name) or not stat.S_ISDIR(told.st_mode):
            continue
        account = _account(told.st_uid)
        if account.removeprefix(TLJH) != parts[0].removeprefix(TLJH):
            why[name] = f"it belongs to {account or told.st_uid}, who is not {parts[0]}"
            continue
        if earlier := last.get((parts[0], parts[1])):
            why[earlier] = "handed in again later"
        last[parts[0], parts[1]] = name
    return why


def _account(owner: int) -> str:
    with suppress(KeyError):
        return pwd.getpwuid(owner).pw_name
    return ""
