"""What far sides and the server see when something ends in the middle of a call."""

import os
import signal

from sip.case import MICROPHONE, SIPTest
from support.system import PLUGIN, PROPERTIES, ROOT
from support.tones import wait_sound
from support.waiting import exited, wait_until

PLUGIN_PATH = f"{ROOT}/plugins/SIP"


class Server(SIPTest):
    needs_sound = True

    def test_a_call_goes_on_when_the_server_starts_again(self):
        for transport in ("udp", "tls"):
            with self.subTest(transport):
                account = self.alice = self.add_account("alice", transport=transport, encryption="off")
                script = self.willing()
                call = self.call_script(script)
                self.assertTalking(script)
                self.server.restart()
                self.assertTalking(script)
                self.assertState(call, "active")
                self.end(call).result()
                script.wait_received("BYE")
                self.remove_account(account)


class Plugin(SIPTest):
    needs_sound = True

    def test_a_plugin_that_is_killed_comes_back_and_registers(self):
        account = self.alice = self.add_account("alice", encryption="off")
        script = self.willing()
        call = self.call_script(script)
        self.server.mark()
        os.kill(int(self.system.shown(PLUGIN_PATH, "Pid")), signal.SIGKILL)
        self.assertEnding(call, "provider-crashed")
        wait_until(lambda: any(request.credentials for request in self.server.seen("REGISTER")), "it does not register",
                   every=0.05)
        self.wait_available(account, "online")
        bob = self.baresip()
        self.end(self.call_out(bob)).result()
        script.stop()
        self.remove_account(account)

    def test_a_plugin_that_is_switched_off_says_goodbye(self):
        account = self.alice = self.add_account("alice", encryption="off")
        bob = self.baresip()
        self.call_out(bob)
        self.server.mark()
        self.system.call(PLUGIN_PATH, PROPERTIES, "Set", "ssv", PLUGIN, "Enabled", False).result()
        bob.wait_event("CALL_CLOSED")
        self.server.wait_unregistered("alice")
        self.system.call(PLUGIN_PATH, PROPERTIES, "Set", "ssv", PLUGIN, "Enabled", True).result()
        self.wait_available(account, "online")
        self.remove_account(account)


class Daemon(SIPTest):
    needs_sound = True

    def test_a_daemon_that_ends_says_goodbye(self):
        self.alice = self.add_account("alice", encryption="off")
        script = self.willing()
        call = self.call_script(script)
        wait_sound(script.heard, [MICROPHONE])
        self.server.mark()
        self.system.daemon.send_signal(signal.SIGTERM)
        self.assertEqual(exited(self.system.daemon), 0)
        script.wait_received("BYE")
        self.server.wait_unregistered("alice")
        self.assertTrue(call)

    def tearDown(self):
        """The daemon has ended here."""
        for phone in self.phones:
            phone.stop()
