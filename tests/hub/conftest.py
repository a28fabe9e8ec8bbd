"""A JupyterHub with the accounts of a class, started for real: hub, proxy, and a server for each."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

HERE = Path(__file__).parent
LABS = HERE.parents[1] / "labs"
ACCOUNTS = {"teacher": 61000, "ada": 61001, "grace": 61002, "alan": 61003}
WITHIN = 60  # seconds


def missing() -> str:
    """What a hub needs and is not here; "" if all is."""
    if os.geteuid():
        return "only root can give a class its accounts, in a mount namespace"
    if importlib.util.find_spec("jupyterhub") is None:
        return "there is no jupyterhub: pip install 'gpusim[hub]'"
    if shutil.which("configurable-http-proxy") is None:
        return "there is no configurable-http-proxy: npm install --global configurable-http-proxy"
    tried = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True)
    return tried.stderr.strip()


@dataclass
class Hub:
    """`url` of the hub; `pid` of the process in whose mount namespace all lies."""

    folder: Path
    url: str
    token: str
    pid: int

    def ask(self, method: str, path: str, token: str = "", **how: Any) -> requests.Response:
        """An answer of the hub, or of a user's server; as the test's service where no token is given."""
        head = {"Authorization": f"token {token or self.token}"}
        return requests.request(method, self.url + path, headers=head, timeout=WITHIN * 3, **how)

    def start(self, user: str) -> str:
        """Start this user's server; the user's own token."""
        self.ask("POST", f"/hub/api/users/{user}").raise_for_status()
        made = self.ask("POST", f"/hub/api/users/{user}/tokens", json={"note": "test"})
        made.raise_for_status()
        self.ask("POST", f"/hub/api/users/{user}/server").raise_for_status()
        until = time.monotonic() + WITHIN
        while not self.ask("GET", f"/hub/api/users/{user}").json()["servers"].get("", {}).get("ready"):
            assert time.monotonic() < until, (self.folder / "log").read_text()[-3000:]
            time.sleep(0.2)
        return str(made.json()["token"])

    def as_user(
        self, user: str, *command: str, place: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as this account, where the hub's servers run."""
        who = f"--reuid={ACCOUNTS[user]}", f"--regid={ACCOUNTS[user]}", "--clear-groups"
        names = {
            "HOME": str(self.folder / "home" / user),
            "USER": user,
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "PYTHONPATH": str(LABS),
            "JUPYTER_CONFIG_PATH": str(self.folder),
            "LANG": "C.UTF-8",
        }
        inside = [
            "nsenter",
            f"--target={self.pid}",
            "--mount",
            f"--wd={place or self.folder / 'home' / user}",
        ]
        return subprocess.run(
            [*inside, "setpriv", *who, *command], capture_output=True, text=True, env=names, timeout=300
        )


def free_ports() -> int:
    """The first of three ports in a row."""
    while True:
        with contextlib.ExitStack() as held, contextlib.suppress(OSError):
            first = held.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
            for more in (1, 2):
                held.enter_context(socket.create_server(("127.0.0.1", first + more)))
            return int(first)


@pytest.fixture(scope="session")
def hub() -> Iterator[Hub]:
    if why := missing():
        pytest.skip(f"no hub can be started here: {why}")
    folder = Path(
        tempfile.mkdtemp(prefix="hub-", dir="/tmp")
    )  # which other accounts can enter, unlike pytest's
    folder.chmod(0o755)
    for name, own in (("passwd", "x:{0}:{0}::{1}:/bin/bash"), ("group", "x:{0}:")):
        lines = [f"{each}:{own.format(uid, folder / 'home' / each)}\n" for each, uid in ACCOUNTS.items()]
        (folder / name).write_text(Path("/etc", name).read_text() + "".join(lines))
    for each, uid in ACCOUNTS.items():
        home = folder / "home" / each
        home.mkdir(parents=True)
        home.chmod(0o700)
        os.chown(home, uid, uid)
    shutil.copy(LABS / "hub" / "nbgrader_config.py", folder)
    port, token = free_ports(), secrets.token_hex(16)
    names = os.environ | {
        "TLJH": str(LABS / "hub" / "tljh.yaml"),
        "PORT": str(port),
        "TOKEN": token,
        "PROXY": str(shutil.which("configurable-http-proxy")),
    }
    stage = ["unshare", "--mount", "--propagation=private", "bash", str(HERE / "stage.sh"), str(folder)]
    start = [sys.executable, "-m", "jupyterhub", "--config", str(HERE / "jupyterhub_config.py")]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [*stage, sys.base_prefix, *start], cwd=folder, env=names, stdout=log, stderr=log
        )
    made = Hub(folder, f"http://127.0.0.1:{port}", token, process.pid)
    try:
        until = time.monotonic() + WITHIN
        while True:
            assert process.poll() is None, (folder / "log").read_text()[-3000:]
            assert time.monotonic() < until, (folder / "log").read_text()[-3000:]
            with contextlib.suppress(requests.ConnectionError):
                if made.ask("GET", "/hub/api/users").ok:
                    break
            time.sleep(0.2)
        yield made
    finally:
        process.terminate()  # which ends the proxy, the services and the servers of users
        process.wait(WITHIN)
        shutil.rmtree(folder)
