"""What lies in the inbound folder of nbgrader's exchange? `ada+coalescing+<time>+<key>/` for a submission.

Every student can write there, so a folder counts only for the account that owns it: `ada`, or `jupyter-ada`
as The Littlest JupyterHub names it. Of several the last one counts. Its `timestamp.txt` is a file of that
student, too: what it says holds unless the file system says that the folder is younger.
"""

from __future__ import annotations

import pwd
import stat
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

TLJH = "jupyter-"
MOMENT = timedelta(minutes=10)  # in which a submission is laid down, or a whole folder is copied


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


def laid_down(source: Path) -> dict[str, datetime]:
    """When was each submission laid down, as the file system has it?

    Its owner can set back when a folder was written, and not when its entry changed. What changed all entries
    together is a copy of the exchange, such as `cp -a` makes: only the former is known there.
    """
    told = {each.name: each.lstat() for each in source.iterdir() if is_of_exchange(each.name)}
    changed = [each.st_ctime for each in told.values()]
    copied = len(told) > 1 and max(changed) - min(changed) <= MOMENT.total_seconds()
    return {
        name: datetime.fromtimestamp(each.st_mtime if copied else max(each.st_mtime, each.st_ctime), UTC)
        for name, each in told.items()
    }


def _account(owner: int) -> str:
    with suppress(KeyError):
        return pwd.getpwuid(owner).pw_name
    return ""
