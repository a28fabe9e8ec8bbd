"""What did a real H200 do with what parents and children share, and with mistakes? For the prose."""

from __future__ import annotations

from typing import Any

from course.records import recorded

RECORDED = "shared_with_children"


def tried(test: str, **what: Any) -> dict[str, Any]:
    """What a real H200 did in a test of what parents and children share."""
    (row,) = (
        one for one in recorded(RECORDED)["tests"] if one["test"] == test and what.items() <= one.items()
    )
    return dict(row)


def lucky() -> dict[str, str]:
    """Without the first barrier: in how many launches was an H200 right, and wrong when warps came late?"""
    prompt, late = (tried("no barrier before the launch", threads=256, late_ns=wait) for wait in (0, 20_000))
    return {
        "prompt_right": f"{prompt['launches'] - prompt['wrong']:,}",
        "prompt_launches": f"{prompt['launches']:,}",
        "late_wrong": f"{late['wrong']:,}",
        "late_launches": f"{late['launches']:,}",
    }


def lucky_rooms() -> dict[str, str]:
    """In how many launches was an H200 right, whose parent freed too early?"""
    early = tried("jobs", own=0)
    return {
        "rooms_lucky": f"{early['launches'] - early['wrong']:,}",
        "rooms_launches": f"{early['launches']:,}",
    }


def stray() -> dict[str, Any]:
    """What came on an H200 of pointers to what is not shared, of `permute` as printed, of mixed frees?"""
    reads = {
        tried(f"a child reads through a pointer to {kind} memory")["sync"] for kind in ("shared", "local")
    }
    printed, right = (tried("permute of 256 numbers", all_threads=all_threads) for all_threads in (1, 0))
    return {
        "stray_read": reads.pop() if len(reads) == 1 else reads,
        "linker_says": recorded(RECORDED)["compiler"].partition("Warning: ")[2],
        "printed_sync": printed["sync"],
        "right_wrong": right["wrong"],
        "host_frees": tried("the host frees a block of the heap")["error"],
        "kernel_frees": tried("a kernel frees a block of the host")["sync"],
    }
