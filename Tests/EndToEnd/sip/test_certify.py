"""callctl certify with the plugin SIP: a real account, and calls that are really answered."""

import os
import tempfile
import unittest

from plugins.certification import certify, points
from sip.case import bundle
from sip.certificates import DOMAIN, Certificates
from sip.phones import Baresip
from sip.server import Kamailio

PASSWORDS = {"alice": "alice-secret", "bob": "bob-secret"}
CALLS = 200
MEMORY = 8192
"""What a call may leave behind for a while, in bytes: something of the latest calls is remembered for half a minute."""


class Certify(unittest.TestCase):
    def test_the_plugin_is_certified(self):
        with tempfile.TemporaryDirectory(prefix="opencallkit-sip-") as folder:
            for name in ("server", "bob"):
                os.mkdir(f"{folder}/{name}")
            certificates = Certificates(f"{folder}/certificates")
            server = Kamailio(f"{folder}/server", PASSWORDS, certificates.good()).start()
            self.addCleanup(server.stop)
            bob = Baresip(f"{folder}/bob", "bob", server, password=PASSWORDS["bob"], is_automatic=True,
                          codecs=("PCMA",)).start()
            self.addCleanup(bob.stop)
            settings = f"{folder}/settings"
            with open(os.open(settings, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
                file.write(f"user = alice\ndomain = {DOMAIN}\npassword = {PASSWORDS['alice']}\ntransport = tls\n"
                           f"proxy = {server.uri('tls')}\nencryption = off\n")
            status, output, errors = certify(
                f"{bundle(f'{folder}/plugins')}/SIP.callplugin", "--settings", settings, "--handle", f"sip:bob@{DOMAIN}",
                "--calls", str(CALLS), "--memory-per-call", str(MEMORY), "--json", SSL_CERT_FILE=certificates.authority)
            found = {name: point["result"] for name, point in points(output).items()}
            failed = {name: point for name, point in points(output).items() if point["result"] in ("failed", "not-tried")}
            self.assertEqual((status, failed), (0, {}), errors)
            for name in ("account", "account-refused", "connect", "hold", "dtmf", "transfer", "attended-transfer", "group",
                         "restart-in-call", "audio-release", "memory"):
                self.assertEqual(found[name], "passed", name)
