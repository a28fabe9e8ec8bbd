"""Does the recorder write what the tools say, and does it say what they lack? Pretended ones."""

from __future__ import annotations

import json
import sys

import pytest

from tests.hardware import agreement, record
from tests.hardware.memory import recording
from tests.hardware.probes.tools import Stopped, Tools, number

NVCC = """\
print("Cuda compilation tools, release 13.0, V13.0.88") if "--version" in arguments else None
"""
SMI = 'print("NVIDIA Pretended, 580.1, 9.0, 1980 MHz, 3201 MHz")'
NCU = """\
if "--version" in arguments:
    print("Version 2025.3.1.0 (build 1)")
elif "--query-metrics" in arguments:
    print("Device Pretended\\nl1tex__known   Counter")
else:
    metrics = arguments[arguments.index("--metrics") + 1].split(",")
    rows = open(arguments[-1]).read().splitlines()
    with open(arguments[arguments.index("--log-file") + 1], "w") as log:
        print("==PROF== something", file=log)
        print('"ID","Kernel Name"', *(f'"{metric}"' for metric in metrics), sep=",", file=log)
        print('"",""', *('"unit"' for _ in metrics), sep=",", file=log)
        for place, row in enumerate(rows):
            print(f'"{place}","{row.split()[0]}"', *('"4"' for _ in metrics), sep=",", file=log)
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A PATH with the three tools: every counter is 4."""

    def tool(name, code):
        file = tmp_path / "bin" / name
        file.write_text(f"#!{sys.executable}\nimport sys\narguments = sys.argv[1:]\n{code}")
        file.chmod(0o755)

    (tmp_path / "bin").mkdir()
    for name, code in {"nvcc": NVCC, "nvidia-smi": SMI, "ncu": NCU}.items():
        tool(name, code)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tool


@pytest.mark.skipif(sys.platform == "win32", reason="the pretended tools are scripts")
class TestAMachine:
    def test_records_keep_their_patterns_and_get_new_counters(self, machine, tmp_path):
        assert record.record(tmp_path / "new", ["global_patterns"], minutes=1) == 0
        new = json.loads((tmp_path / "new" / "global_patterns.json").read_text())
        old = recording("global_patterns")
        assert [row[:7] for row in new["rows"]] == [row[:7] for row in old["rows"]]
        assert {tuple(row[7:10]) for row in new["rows"]} == {(4, 4, 4)}
        assert new["header"]["fields"] == old["header"]["fields"]
        assert new["header"]["machine"]["device"] == "NVIDIA Pretended (compute capability 9.0)"

    def test_what_the_profiler_says_is_passed_on(self, machine, tmp_path):
        machine("ncu", 'print("Version 1.0") if "--version" in arguments else sys.exit("no permission")')
        with pytest.raises(Stopped, match="no permission"):
            record.record(tmp_path / "new", ["global_patterns"], minutes=1)

    def test_only_known_metrics_are_asked_for(self, machine, tmp_path):
        tools = Tools(tmp_path, minutes=1)
        assert tools.known(["l1tex__known.sum", "l1tex__unknown.sum"]) == ["l1tex__known.sum"]


def test_missing_tools_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Stopped, match="nvcc, ncu, nvidia-smi"):
        Tools(tmp_path, minutes=1)


def test_numbers_of_the_profiler():
    assert [number(text) for text in ("4", "1,234", "0.5", "n/a")] == [4, 1234, 0.5, "n/a"]


def test_a_recording_agrees_with_itself():
    kept = recording("shared_patterns")
    fields = {field.name: field for _table, field in agreement.compare("shared_patterns", kept, kept)}
    assert {field.records == field.equal for field in fields.values()} == {True}
    assert fields["wavefronts"].records == 1074
    assert fields["cycles per access"].records == 1074 - 67  # atomics were not timed


def test_other_counters_are_told_with_their_ratio():
    kept = recording("vec3_struct")
    rows = [[*row[:5], row[5] * 2, *row[6:]] for row in kept["rows"]]
    found = {
        field.name: field for _table, field in agreement.compare("vec3_struct", kept, {**kept, "rows": rows})
    }
    assert (found["load sectors"].equal, found["load sectors"].ratios) == (0, "2 – 2 – 2")
    assert found["load requests"].equal == 9


def test_every_file_that_is_recorded_can_be_compared():
    assert set(record.PARTS) == set(agreement.KEYS)
