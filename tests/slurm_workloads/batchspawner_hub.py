# mypy: ignore-errors
"""JupyterHub with batchspawner's SlurmSpawner: servers in jobs that start, are polled, survive a
restart of the hub and are stopped, one that is cancelled, and one that cannot be submitted."""

import getpass
import json
import os
import pwd
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

BIN = Path(sys.executable).parent
USER = getpass.getuser()
CONFIG = """\
import batchspawner
from jupyterhub.proxy import Proxy


class NoProxy(Proxy):
    '''A hub without a proxy: the program for one is none of Python's.'''

    should_start = False
    routes = {}

    async def add_route(self, routespec, target, data):
        self.routes[routespec] = {"routespec": routespec, "target": target, "data": data}

    async def delete_route(self, routespec):
        self.routes.pop(routespec, None)

    async def get_all_routes(self):
        return self.routes


c.JupyterHub.proxy_class = NoProxy
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = batchspawner.SlurmSpawner
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.hub_port = 18081
c.JupyterHub.bind_url = "http://127.0.0.1:18000"
c.JupyterHub.cleanup_servers = False
c.JupyterHub.services = [{"name": "test", "api_token": "a-token-of-the-test"}]
c.JupyterHub.load_roles = [
    {"name": "test", "scopes": ["admin:users", "admin:servers"], "services": ["test"]}
]
c.Spawner.cmd = ["jupyterhub-singleuser", "--allow-root"]
c.Spawner.environment = {"JUPYTERHUB_SINGLEUSER_APP": "jupyter-server"}
c.Spawner.env_keep = ["PATH"]  # else the commands of the hub have that of the C library
c.Spawner.poll_interval = 1
c.Spawner.start_timeout = 120
c.Spawner.http_timeout = 60
c.BatchSpawnerBase.exec_prefix = ""  # the hub and the user are the same account here
c.BatchSpawnerBase.req_partition = open("partition").read()
c.BatchSpawnerBase.req_runtime = "10"
c.BatchSpawnerBase.req_memory = "600M"
c.BatchSpawnerBase.req_nprocs = "2"
"""


def ask(method, path):
    """Return the status and the answer of the hub."""
    request = urllib.request.Request(
        f"http://127.0.0.1:18081/hub/api{path}", method=method,
        headers={"Authorization": "token a-token-of-the-test"},
    )  # fmt: skip
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read() or "null")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:  # the hub is not there yet
        return 0, None


def until(condition, what):
    for _ in range(240):
        if condition():
            return
        time.sleep(0.5)
    raise AssertionError((what, Path("hub.log").read_text()))


HUBS = []


def start_hub(partition="main"):
    Path("partition").write_text(partition)
    with Path("hub.log").open("a") as log:
        hub = subprocess.Popen([BIN / "jupyterhub", "-f", "config.py"], stdout=log, stderr=log)
    HUBS.append(hub)
    until(lambda: ask("GET", "/users")[0] == 200, "the hub answers")
    return hub


def stop_hub(hub):
    hub.terminate()
    hub.wait(60)


def ready():
    return bool(ask("GET", f"/users/{USER}")[1]["servers"].get("", {}).get("ready"))


def started():
    assert ask("POST", f"/users/{USER}/server")[0] in (201, 202)
    until(ready, "the server is ready")


def jobs():
    words = ["squeue", "-h", "-o", "%i", "-n", "spawner-jupyterhub"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()


def main():
    Path("config.py").write_text(CONFIG)
    os.environ["PATH"] = f"{BIN}:{os.environ['PATH']}"
    hub = start_hub()
    assert ask("POST", f"/users/{USER}")[0] == 201
    started()
    first = jobs()
    assert len(first) == 1, first
    hub.kill()  # a hub that is terminated while it polls takes the server for stopped
    hub.wait()
    hub = start_hub()
    until(ready, "the server is ready for the next hub")
    assert jobs() == first
    assert ask("DELETE", f"/users/{USER}/server")[0] in (202, 204)
    until(lambda: not jobs() and not ready(), "the server is stopped")
    log = Path(pwd.getpwnam(USER).pw_dir, f"jupyterhub_slurmspawner_{first[0]}.log")
    assert "SIGTERM received" in log.read_text(), log.read_text()
    log.unlink()  # the folder is that of the account, whatever HOME is

    until(lambda: ask("POST", f"/users/{USER}/server")[0] in (201, 202), "a start is taken")
    until(ready, "the next server is ready")
    second = jobs()[0]
    subprocess.run(["scancel", second], check=True)
    until(lambda: not ready(), "the hub sees that the job is over")
    log.with_name(f"jupyterhub_slurmspawner_{second}.log").unlink()
    stop_hub(hub)

    hub = start_hub("nowhere")
    code, said = ask("POST", f"/users/{USER}/server")
    assert code == 500, (code, said)
    assert "invalid partition specified: nowhere" in Path("hub.log").read_text()
    stop_hub(hub)


if __name__ == "__main__":
    try:
        main()
    finally:
        for hub in HUBS:
            hub.kill()
    print("batchspawner passes", flush=True)
