"""The settings of a real JupyterHub in a test: no proxy, and servers that are an address and run nothing."""

from __future__ import annotations

import os
from typing import Any

from jupyterhub.proxy import Proxy
from jupyterhub.spawner import Spawner


class NoProxy(Proxy):  # type: ignore[misc]
    """Routes in memory; the test asks the hub itself."""

    routes: dict[str, Any] = {}
    should_start = False

    async def add_route(self, routespec: str, target: str, data: Any) -> None:
        self.routes[routespec] = {"routespec": routespec, "target": target, "data": data}

    async def delete_route(self, routespec: str) -> None:
        self.routes.pop(routespec, None)

    async def get_all_routes(self) -> dict[str, Any]:
        return dict(self.routes)


class Nothing(Spawner):  # type: ignore[misc]
    """Its address is that of a web server of the test."""

    running = False

    async def start(self) -> str:
        self.running = True
        return os.environ["TEST_SERVED"]

    async def stop(self, now: bool = False) -> None:
        self.running = False

    async def poll(self) -> int | None:
        return None if self.running else 0


c = get_config()  # type: ignore[name-defined]  # noqa: F821
c.JupyterHub.proxy_class = NoProxy
c.JupyterHub.spawner_class = Nothing
c.JupyterHub.authenticator_class = "null"
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.hub_port = int(os.environ["TEST_PORT"])
c.JupyterHub.allow_named_servers = True
# A request for a server is answered once it runs, not before.
c.JupyterHub.tornado_settings = {"slow_spawn_timeout": 180}
c.Spawner.start_timeout = c.Spawner.http_timeout = 180
c.JupyterHub.services = [
    {"name": "priorityd", "api_token": "collector-token"},
    {"name": "operator", "api_token": "operator-token", "admin": True},
]
c.JupyterHub.load_roles = [{"name": "priorityd", "scopes": ["list:users", "read:servers"], "services": ["priorityd"]}]
