"""The hub of the test: what labs/hub/tljh.yaml says, in the way The Littlest JupyterHub reads it."""

import os
import sys
from pathlib import Path

import yaml

c = get_config()  # noqa: F821
told = yaml.safe_load(Path(os.environ["TLJH"]).read_text(encoding="utf-8"))
cull = told["services"]["cull"]

c.JupyterHub.bind_url = f"http://127.0.0.1:{os.environ['PORT']}"
c.JupyterHub.hub_port = int(os.environ["PORT"]) + 1
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{int(os.environ['PORT']) + 2}"
c.ConfigurableHTTPProxy.command = os.environ["PROXY"]
c.JupyterHub.authenticator_class = "dummy"  # TLJH's own asks for a password in a page
c.Authenticator.admin_users = set(told["users"]["admin"])
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.mem_limit = told["limits"]["memory"]
c.Spawner.cpu_limit = told["limits"]["cpu"]
c.Spawner.default_url = {"jupyterlab": "/lab"}[told["user_environment"]["default_app"]]
c.Spawner.cmd = [str(Path(sys.executable).with_name("jupyterhub-singleuser"))]
c.Spawner.environment = {
    "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    "JUPYTER_CONFIG_PATH": str(Path.cwd()),  # in the place of /etc/jupyter
}
c.JupyterHub.services = [
    {
        "name": "cull-idle",
        "admin": True,
        "command": [
            *(sys.executable, "-m", "jupyterhub_idle_culler"),
            *(f"--timeout={cull['timeout']}", f"--cull-every={cull['every']}"),
        ],
    },
    {"name": "test", "admin": True, "api_token": os.environ["TOKEN"]},
]
c.JupyterHub.load_roles = [
    {
        "name": "test",
        "services": ["test"],
        "scopes": ["admin:users", "admin:servers", "tokens", "list:services"],
    }
]
