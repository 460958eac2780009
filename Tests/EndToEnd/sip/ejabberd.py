"""ejabberd as a SIP server: another registrar and proxy than Kamailio, with a SIP stack in Erlang."""

import glob
import os
import shutil

from sip.certificates import DOMAIN
from sip.ports import RigProcess, free_port
from support.waiting import wait_until

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
ESIP = "/usr/lib/erlang/lib/p1_sip"
CONFIGURATION = """hosts: ["{domain}"]
loglevel: info
auth_method: internal
auth_password_format: plain
listen:
  - {{port: {port}, ip: "127.0.0.1", transport: udp, module: ejabberd_sip}}
  - {{port: {port}, ip: "127.0.0.1", transport: tcp, module: ejabberd_sip}}
modules:
  mod_sip:
    always_record_route: true
    record_route: "sip:127.0.0.1:{port};lr"
    routes: ["sip:127.0.0.1:{port};lr"]
    via:
      - {{type: udp, host: "127.0.0.1", port: {port}}}
      - {{type: tcp, host: "127.0.0.1", port: {port}}}
"""
REGISTERED = "the users are there"


class Ejabberd(RigProcess):
    """The server, over UDP and TCP. `users` are passwords by user name."""

    def __init__(self, folder, users):
        super().__init__("ejabberd", folder)
        self.users = users
        self.port = free_port()

    @staticmethod
    def is_installed():
        """Whether it is there with what it needs for SIP."""
        return all(shutil.which(name) for name in ("ejabberdctl", "erl")) and bool(glob.glob(f"{ESIP}-*"))

    def start(self):
        path = os.path.join(self.folder, "ejabberd.yml")
        with open(path, "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(domain=DOMAIN, port=self.port))
        users = "".join(f'ok = ejabberd_auth:try_register(<<"{user}">>, <<"{DOMAIN}">>, <<"{password}">>), '
                        for user, password in self.users.items())
        self.spawn("erl", "-noinput", "-mnesia", "dir", f'"{self.folder}/mnesia"', "-s", "ejabberd", "-eval",
                   f'{{ok, _}} = application:ensure_all_started(ejabberd), {users}io:format("{REGISTERED}~n").',
                   environment={"ERL_LIBS": LIBRARIES, "HOME": self.folder, "EJABBERD_CONFIG_PATH": path,
                                "EJABBERD_LOG_PATH": os.path.join(self.folder, "log"), "SPOOL_DIR": self.folder})
        wait_until(lambda: REGISTERED in self.log(), lambda: f"ejabberd does not start: {self.log()[-2000:]}", every=0.1)
        return self

    def uri(self, transport="udp", _host=None):
        """Its URI, as an outbound proxy."""
        return f"sip:127.0.0.1:{self.port};transport={transport}"
