#!/usr/bin/env python3
"""Runs a SIP server on this machine with the accounts alice and bob, until Ctrl-C. bob's phone answers each call and plays
a tone. The server is Kamailio, the phone is baresip; both listen on 127.0.0.1 only.
"""

import os
import signal
import sys
import tempfile

from gi.repository import GLib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Tests", "EndToEnd"))

from sip.certificates import DOMAIN, Certificates  # noqa: E402
from sip.phones import Baresip  # noqa: E402
from sip.server import Kamailio  # noqa: E402

PASSWORDS = {"alice": "alice-secret", "bob": "bob-secret"}

TEXT = """sip-server: a SIP server with the accounts alice and bob runs on this machine.
     Add alice's account; her password is {password}. Then call bob, who answers
     and plays a tone; hold, resume and end the call:

         callctl accounts add SIP user=alice domain={domain} transport=udp \\
             'proxy={proxy}' --storage memory
         callctl start sip:bob@{domain}
         callctl hold
         callctl resume
         callctl end

     Let bob call alice: press Enter here. Ctrl-C ends the server.
"""


def run(folder):
    server = Kamailio(f"{folder}/server", PASSWORDS, Certificates(f"{folder}/certificates").good()).start()
    phone = None
    try:
        phone = Baresip(f"{folder}/bob", "bob", server, password=PASSWORDS["bob"], codecs=("opus", "G722", "PCMA"),
                        is_automatic=True, frequency=440).start()
        print(TEXT.format(domain=DOMAIN, proxy=server.uri(), password=PASSWORDS["alice"]), flush=True)
        loop = GLib.MainLoop()

        def typed(*_):
            if not sys.stdin.readline():
                return False
            phone.dial("alice")
            return True

        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGINT, loop.quit)
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)
        GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, typed)
        loop.run()
    finally:
        if phone is not None:
            phone.stop()
        server.stop()
    print("sip-server: ended")


def main():
    with tempfile.TemporaryDirectory(prefix="opencallkit-sip-") as folder:
        run(folder)


if __name__ == "__main__":
    main()
