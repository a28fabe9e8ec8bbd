"""Does the JSON of every kind of report hold what its schema says, and nothing else?"""

from __future__ import annotations

import doctest
import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import gpusim
from gpusim import cuda
from gpusim.reports import schema
from gpusim.reports.comparison import ComparisonReport
from gpusim.reports.exploration import ExplorationReport
from gpusim.reports.findings import FindingsReport
from gpusim.reports.launch import LaunchReport, RunReport
from gpusim.reports.launch_tree import LaunchTreeReport
from gpusim.reports.parameter_buffer import ParameterBufferReport
from gpusim.reports.streams import Chain, StreamsReport
from gpusim.views import embed
from tests.views import real


def faults(kind, data) -> list[str]:
    """Where does the JSON differ from the schema?"""
    checked = Draft202012Validator(schema.of(kind))
    return [f"{fault.json_path}: {fault.message[:200]}" for fault in checked.iter_errors(data)]


def passed_through(report) -> object:
    """What a page reads."""
    return json.loads(json.dumps(report.as_dict(), allow_nan=False))


@pytest.mark.parametrize(
    "kind", [*embed.REPORTS.values(), RunReport, FindingsReport, ComparisonReport, ParameterBufferReport]
)
def test_it_is_a_schema(kind):
    Draft202012Validator.check_schema(schema.of(kind))


def test_the_example():
    assert doctest.testmod(schema).failed == 0


@pytest.mark.parametrize("view", embed.REPORTS)
def test_every_view_is_given_what_the_schema_says(view):
    for report in real.reports()[view]:
        assert type(report) is embed.REPORTS[view]
        assert report.as_dict() == passed_through(report)
        assert faults(embed.REPORTS[view], report.as_dict()) == []


@cuda.jit
def one_fewer(x, depth):
    x[0] = depth
    if depth:
        one_fewer[1, 1](x, depth - 1)


def test_a_tree_of_launches():
    with gpusim.profile() as run:
        one_fewer[1, 1](np.zeros(1, np.int64), 2)
    tree = run.launch_tree()
    assert tree.as_dict() == passed_through(tree)
    assert faults(LaunchTreeReport, tree.as_dict()) == []


def test_a_parameter_buffer():
    found = gpusim.pack_parameters(["char c", "float2 v", "int* x"], 1, (2, 3), None)
    assert found.as_dict() == passed_through(found)
    assert faults(ParameterBufferReport, found.as_dict()) == []
    assert found.as_dict()["parameters"][1]["octets"] == [0, 0, 0, 64, 0, 0, 64, 64]


@pytest.mark.parametrize("caches", [False, True])
def test_counters_lines_and_advice(caches):
    run = real.profiled("H200", caches=caches)
    assert faults(RunReport, run.as_dict()) == []
    assert faults(LaunchReport, run.kernels[0].as_dict()) == []
    assert run.as_dict() == passed_through(run)
    assert run.as_dict()["kernels"][0]["advice"], "a kernel to look at"
    assert faults(RunReport, real.stopped("P100").as_dict()) == []


def test_comparisons():
    for other in (real.profiled("G80"), real.stopped("H200")):
        found = gpusim.compare(real.profiled("H200"), other)
        assert faults(ComparisonReport, passed_through(found)) == []


def test_streams():
    with gpusim.profile() as run:
        real.rotate[1, 32, gpusim.cuda.stream()](gpusim.cuda.to_device(np.zeros(64, np.int32)))
        gpusim.cuda.synchronize()
    report = run.streams()
    assert report.calls[1].touched
    assert faults(StreamsReport, passed_through(report)) == []
    assert faults(Chain, report.happens_before(0, 2).as_dict()) == []
    raced = real.streams(events=False)
    assert raced.calls[1].met
    assert faults(StreamsReport, passed_through(raced)) == []


def test_explorations_with_and_without_an_error():
    for kernel in (real.rotate, real.rotate_beyond):
        found = real.explored(kernel)
        assert faults(ExplorationReport, passed_through(found)) == []
    assert found.as_dict()["outcomes"][0]["error"] == "OutOfBounds"


@pytest.mark.parametrize("kernel", [real.rotate, real.rotate_beyond, real.spin])
def test_findings(kernel):
    with gpusim.sanitize(step_budget=100) as report:
        kernel[1, 32](np.zeros(64, np.int32))
    assert report.findings
    assert faults(FindingsReport, passed_through(report)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda report: report.update(tilte=""), "tilte"),
        (lambda report: report["source"].pop("name"), "'name' is a required property"),
        (lambda report: report["variants"][0].update(lanes="32"), "'32' is not of type 'integer'"),
        (lambda report: report["variants"][0].update(lanes=np.int64(32)), "is not of type 'integer'"),
        (lambda report: report["variants"][0].update(error=3), "3 is not valid under any"),
        (lambda report: report["variants"][0]["frames"][0].update(stack=None), "None is not of type 'array'"),
    ],
)
def test_another_field_or_type_is_a_fault(change, fault):
    report = real.reports()["warp_player"][0].as_dict()
    change(report)
    assert fault in "".join(faults(embed.REPORTS["warp_player"], report))


def test_a_move_has_four_numbers_and_a_rule_is_one_of_three():
    report = real.reports()["sector_view"][0].as_dict()
    rules = report["variants"][0]["accesses"][0]["rules"]
    rules["sectors32"]["moves"][0].append(1)
    rules["cc1.0"]["moves"][0].pop()
    rules["cc2.0"] = rules.pop("cc1.2")
    found = faults(embed.REPORTS["sector_view"], report)
    said = " ".join(found)
    for part in (
        "Expected at most 4 items",
        "is too short",
        "'cc2.0' was unexpected",
        "'cc1.2' is a required",
    ):
        assert part in said


def test_counters_stand_among_the_other_fields_and_are_numbers():
    report = real.profiled("H200").as_dict()
    report["kernels"][0]["lines"][0]["instructions"] = "many"
    assert faults(RunReport, report) == ["$.kernels[0].lines[0].instructions: 'many' is not of type 'number'"]
