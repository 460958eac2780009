"""The base of the tests of the plugin SIP: one daemon, one server and one set of sound cards for all tests of a class."""

import os
import signal
import subprocess
import tempfile

import dbus

from accounts.case import AccountsTest
from sip.certificates import DOMAIN, Certificates
from sip.linphone import Linphone
from sip.phones import Baresip
from sip.rtp import RtpPeer
from sip.scripts import Sipp, willing
from sip.server import Kamailio
from sip.sound import SoundCards
from support import tones
from support.case import PATIENT, words_of
from support.messages import variants
from support.system import BUILD, CALL, IDENTITY, REPOSITORY, ROOT, System
from support.waiting import PATIENCE, exited, wait_until

PASSWORDS = {name: f"{name}-secret" for name in ("alice", "work", "bob", "carol", "dave", "erin")}
MICROPHONE, LINPHONE = 500, 660
"""What the microphones of the plugin and of linphone hear, in Hz."""


def bundle(folder):
    """Puts the plugin into a folder, and returns the folder."""
    subprocess.run(["sh", os.path.join(REPOSITORY, "Plugins", "bundle.sh"), BUILD, folder, "SIP"], check=True,
                   stdout=subprocess.DEVNULL)
    return folder


class SIPTest(AccountsTest):
    """A test whose daemon is that of its class. Accounts of the class are made in `setUpClass`, by `add_account`."""

    hosts = ("127.0.0.1",)
    expires = 60
    needs_sound = False
    arguments = ()
    folders = 0

    @classmethod
    def setUpClass(cls):
        cls.rigs = []
        try:
            cls.start_rig()
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def start_rig(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="opencallkit-sip-")
        cls.folder = cls.temporary.name
        cls.certificates = Certificates(f"{cls.folder}/certificates")
        cls.server = cls.start_server(cls.certificates.good())
        environment = [f"SSL_CERT_FILE={cls.certificates.authority}"]
        if cls.needs_sound:
            cls.cards = cls.keep(SoundCards(f"{cls.folder}/sound", plugin=MICROPHONE, linphone=LINPHONE).start())
            environment.append(f"PULSE_SERVER={cls.cards.address}")
        cls.system = System("--plugin-path", bundle(f"{cls.folder}/plugins"), *words_of(PATIENT), *cls.arguments,
                            with_plugins=True, wrapper=(*cls.make_wrapper(), "env", *environment))
        cls.system.start()
        cls.pid = cls.system.daemon.pid
        wait_until(lambda: cls.system.shown(f"{ROOT}/plugins/SIP", "State") == "ready",
                   lambda: f"SIP is {cls.system.shown(f'{ROOT}/plugins/SIP', 'State')}: {cls.system.read_log()}")

    @classmethod
    def start_server(cls, certificate, **options):
        options = {"hosts": cls.hosts, "expires": cls.expires, **options}
        server = Kamailio(f"{cls.folder}/server-{len(cls.rigs)}", PASSWORDS, certificate, **options)
        return cls.keep(server.start())

    @classmethod
    def make_wrapper(cls):
        """A command that becomes the daemon."""
        return ()

    @classmethod
    def keep(cls, rig):
        """Stops it after the last test of the class."""
        cls.rigs.append(rig)
        return rig

    @classmethod
    def tearDownClass(cls):
        problems = []
        try:
            if "system" in vars(cls):
                problems = cls.end_system()
        finally:
            for rig in reversed(cls.rigs):
                rig.stop()
            cls.temporary.cleanup()
        if problems:
            raise AssertionError("; ".join(problems))

    @classmethod
    def end_system(cls):
        """Ends the daemon, and returns what was wrong with it."""
        system, problems = cls.system, []
        if system.daemon is not None and system.daemon.poll() is None:
            system.daemon.send_signal(signal.SIGTERM)
            status = exited(system.daemon)
            if status != 0:
                problems.append(f"exit status {status} after SIGTERM")
            if "invariant broken" in system.read_log():
                problems.append("invariant broken")
            if system.undocumented:
                problems.append(f"errors that are not in dbus/*.xml: {system.undocumented}")
            problems += [text for text in (system.replay(),) if text]
        system.stop()
        return problems

    def setUp(self):
        self.keyring = None
        self.server.mark()
        self.log_begin = len(self.system.read_log())
        self.phones = []

    def tearDown(self):
        for call in self.calls():
            self.system.call(call, CALL, "End").wait()
        for phone in self.phones:
            phone.stop()
        wait_until(lambda: not self.calls(), lambda: f"calls stay: {self.calls()}")
        self.assertIsNone(self.system.daemon.poll(), "the daemon has ended")
        self.assertEqual(self.system.daemon.pid, self.pid)
        self.assertNotIn("invariant broken", self.system.read_log())

    def traces(self):
        log = self.system.read_log()[getattr(self, "log_begin", 0):]
        return {"log": log, "scenario": self.system.read_recording(), "server": str(self.server.seen())}

    # Accounts

    @classmethod
    def make(cls):
        """An instance outside tests, for what `setUpClass` asks of the daemon."""
        test = cls("run")
        test.keyring = None
        return test

    def add_account(self, user="alice", password=None, transport="tls", server=None, wait="online", **settings):
        """Adds an account that uses the server, waits until it is registered, and returns the account."""
        values = {"user": user, "domain": DOMAIN, "transport": transport, "trace": True,
                  "proxy": (server or self.server).uri(transport), "label": user, **settings}
        secret = values.pop("turn_secret", None)
        values = {key.replace("_", "-"): value for key, value in values.items() if value is not None}
        account = str(self.system.call(f"{ROOT}/accounts", "org.opencallkit.Accounts1", "Add", "sa{sv}", "SIP",
                                       variants(values)).result())
        self.set_secret(account, (password or PASSWORDS[user]).encode(), key="password", storage="memory").result()
        if secret:
            self.set_secret(account, secret.encode(), key="turn-password", storage="memory").result()
        self.enable(account)
        if wait:
            self.wait_available(account, wait)
        return account

    def remove_account(self, account, server=None):
        """Removes the account, and waits until it is not registered any more if it was."""
        server, was_online = server or self.server, self.account(account, "State") == "ready"
        user = str(self.account(account, "Settings")["user"])
        server.mark()
        self.account_call(account, "Remove").result()
        if was_online:
            server.wait_unregistered(user)

    def provider(self, account):
        """The provider of the account."""
        return str(wait_until(lambda: (path := self.account(account, "Provider")) != "/" and path,
                              lambda: f"no provider: {self.standing(account)}", every=0.02))

    def wait_available(self, account, availability):
        provider = self.provider(account)
        wait_until(lambda: self.system.shown(provider, "Availability") == availability,
                   lambda: f"{self.system.shown(provider, 'Availability')}, expected {availability}: "
                           f"{self.system.shown(provider, 'Status')}; {self.server.log()[-500:]}")
        return provider

    def assertStanding(self, account, *standing):
        """Asserts that the account gets into this state, with this problem and this text, as far as they are given."""
        wait_until(lambda: self.standing(account)[:len(standing)] == standing, lambda: self.standing(account),
                   every=0.05)

    # Far sides

    def new_folder(self, name):
        """A folder whose name is short: baresip cuts names of files."""
        SIPTest.folders += 1
        return f"{self.folder}/{SIPTest.folders}-{name}"

    def baresip(self, user="bob", **options):
        """A baresip that is registered with the server, unless `server` is None."""
        options = {"server": self.server, "password": PASSWORDS.get(user, ""),
                   "authority": self.certificates.authority, **options}
        return self.far_side(Baresip(self.new_folder(user), user, **options))

    def linphone(self, user="carol", **options):
        options = {"server": self.server, "password": PASSWORDS.get(user, ""), "cards": self.cards,
                   "authority": self.certificates.authority, **options}
        return self.far_side(Linphone(self.new_folder(user), user, **options))

    def sipp(self, *steps, **options):
        return self.far_side(Sipp(self.new_folder("sipp"), *steps, **options))

    def rtp(self, *arguments, **options):
        return self.far_side(RtpPeer(*arguments, **options))

    def willing(self, frequency=880, host="127.0.0.1", **options):
        """A scripted far side that answers and takes every further offer, and its sound."""
        rtp = self.rtp(frequency, host=host, **options)
        script = self.sipp(*willing(rtp.port), host=host)
        script.frequency, script.heard, script.rtp = frequency, rtp.heard, rtp
        return script

    def call_script(self, script, account=None):
        """A call to a script, which answers."""
        call = self.dial(script.user, account)
        self.wait_state(call, "active")
        return call

    def far_side(self, phone):
        self.phones.append(phone)
        return phone.start()

    # Calls

    def calls(self, provider=None):
        """The calls that have not ended, the oldest first."""
        return [path for path, values in self.system.objects.items()
                if "Direction" in values and values.get("State") != "ended"
                and (provider is None or values.get("Provider") == provider)]

    def dial(self, user, account=None, **options):
        """Starts a call of the account. Returns it as soon as the daemon has it."""
        handle = user if ":" in user else f"sip:{user}@{DOMAIN}"
        provider = self.provider(account or self.alice)
        return str(self.start_call(handle, provider=dbus.ObjectPath(provider), **options).result())

    def wait_ringing(self, account=None):
        """Waits for an incoming call and returns it."""
        provider = self.provider(account or self.alice)
        return wait_until(lambda: [path for path in self.calls(provider) if self.system.shown(path, "State") == "ringing"],
                          lambda: f"nothing rings: {self.calls()}")[0]

    def call_out(self, phone, account=None):
        """A call to a phone, which answers."""
        phone.mark()
        call = self.dial(phone.user, account)
        phone.wait_incoming()
        phone.accept()
        self.wait_state(call, "active")
        return call

    def call_in(self, phone, account=None, user="alice"):
        """A call from a phone, which is answered."""
        phone.mark()
        phone.dial(user)
        call = self.wait_ringing(account)
        self.answer(call).result()
        self.wait_state(call, "active")
        return call

    def wait_state(self, call, state, seconds=PATIENCE):
        wait_until(lambda: self.system.shown(call, "State") == state,
                   lambda: f"{call} is {self.system.shown(call, 'State')}, expected {state}", seconds)

    def wait_shown(self, call, name, value, seconds=PATIENCE):
        wait_until(lambda: self.system.shown(call, name) == value,
                   lambda: f"{name} is {self.system.shown(call, name)}, expected {value}", seconds)

    def identity(self, call, name):
        return self.property(call, name, IDENTITY)

    def assertEnding(self, call, reason, code=None, detail=None, origin=None):
        """Asserts how the call ends. What is None is not looked at."""
        wait_until(lambda: self.system.told("CallEnded", call), lambda: f"{call} has not ended")
        values = self.system.get_all(call, CALL)
        found = (str(values["EndReason"]), code and str(values["EndCode"]), detail and str(values["EndDetail"]),
                 origin and str(values["EndedBy"]))
        self.assertEqual(found, (reason, code, detail, origin))

    # Sound

    def assertTalking(self, phone):
        """Asserts that both sides hear each other's tone, and not their own."""
        speaker = lambda: self.cards.heard("plugin")  # noqa: E731
        tones.wait_sound(speaker, [phone.frequency], [MICROPHONE])
        tones.wait_sound(phone.heard, [MICROPHONE], [phone.frequency])

    def wait_heard(self, *present, absent=(), seconds=PATIENCE):
        """Waits until the plugin's speaker plays these frequencies and not those."""
        tones.wait_sound(lambda: self.cards.heard("plugin"), present, absent, seconds)
