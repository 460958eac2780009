"""Two sessions of one user, each with a bus and a daemon of its own."""

import fcntl
import signal
import struct

import dbus

from access.test_tiers import ACCESS, ACCESS1
from support.messages import strings, uuid_of, variants
from support.provider import Provider
from support.store import StoreTest
from support.system import BUILD, DIRECTORY, PROPERTIES, RECENTS, RECENTS1, ROOT, RULES1, SYSTEM, System
from support.waiting import wait_until


F_OFD_SETLK = 37


class Session(System):
    def __init__(self, data, settings):
        super().__init__()
        self.data, self.settings = data, settings

    def start_bus(self):
        self.environment["XDG_DATA_HOME"] = self.data
        self.environment["XDG_CONFIG_HOME"] = self.settings
        super().start_bus()


class Sessions(StoreTest):
    """dunst-project/dunst #495 and #247, neutrinolabs/xrdp #998."""

    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, "Alpha")
        self.favorites()
        self.reject(self.alpha.incoming()).result()
        environment = self.system.environment
        self.other = Session(environment["XDG_DATA_HOME"], environment["XDG_CONFIG_HOME"])
        self.addCleanup(self.other.stop)
        self.other.start()
        self.beta = Provider(self.other, "Beta")

    def missed(self, count):
        """Calls that nobody answers in the other session."""
        calls = []
        for _ in range(count):
            call = self.beta.incoming()
            self.beta.remote_end(call, "unanswered").result()
            calls.append(uuid_of(call))
        # A row is written within about 50 ms.
        self.assertHas(calls, self.other)
        return calls

    def end_other(self, number):
        self.end(self.other, number)

    def end(self, system, number):
        system.daemon.send_signal(number)
        system.daemon.wait()
        wait_until(lambda: not system.owner, "the name is still owned")

    def rows_in(self, system):
        answer = system.call(RECENTS, RECENTS1, "List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(50)).wait()
        return {str(row["call"]): row for row in answer.value or []}

    def assertHas(self, calls, system):
        wait_until(lambda: set(calls) <= set(self.rows_in(system)), lambda: f"{set(self.rows_in(system))} lacks some of {calls}")

    def test_both_sessions_have_one_history(self):
        before = self.calls()
        calls = self.missed(5)
        self.assertHas(before + calls, self.other)
        self.assertHas(before + calls, self.system)
        for system in (self.system, self.other):
            self.assertEqual(system.get(RECENTS, RECENTS1, "Degraded"), "")
            wait_until(lambda: system.get(RECENTS, RECENTS1, "UnreadMissed") == 5, "the missed calls of the other are not told")
        self.assertEqual(self.other.run(f"{BUILD}/callctl", "recents").status, 0)
        self.other.call(RECENTS, RECENTS1, "MarkAllRead", "").result()
        wait_until(lambda: self.system.get(RECENTS, RECENTS1, "UnreadMissed") == 0, "what was read is not told")

    def test_nothing_is_lost_when_either_ends(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number):
                calls = self.missed(2)
                self.end_other(number)
                self.assertHas(calls, self.system)
                self.other.start_daemon()
                self.beta = Provider(self.other, "Beta")
        before = self.calls()
        self.system.daemon.send_signal(signal.SIGTERM)
        self.system.daemon.wait()
        calls = self.missed(2)
        self.assertHas(calls + before, self.other)
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.assertHas(calls + before, self.system)

    def test_calls_of_a_session_that_was_killed_have_ended(self):
        mine, other = self.alpha.incoming(), self.beta.incoming()
        for call, system in ((mine, self.system), (other, self.other)):
            wait_until(lambda: uuid_of(call) in self.rows_in(system), "the call has no row")
        self.assertTrue(self.rows_in(self.system)[uuid_of(other)]["open"])
        self.end_other(signal.SIGKILL)
        wait_until(lambda: not self.rows_in(self.system)[uuid_of(other)].get("open"), "the call goes on")
        self.assertTrue(self.rows_in(self.system)[uuid_of(mine)]["open"], "a call of this session was ended")

    def test_what_both_change_at_one_moment(self):
        """Rules of the store and tiers of the daemon: each session writes the whole file, now and then."""
        apps, rules = set(), set()
        for index in range(20):
            asked = []
            for system, letter in ((self.system, "a"), (self.other, "b")):
                app, rule = f"org.example.{letter}{index}", f"+4670{ord(letter)}{index:04}"
                asked += [
                    system.call(ACCESS, ACCESS1, "Grant", "sas", app, strings("identity")), system.call(DIRECTORY, RULES1, "Block", "s", rule)]
                apps.add(app)
                rules.add(rule)
            for answer in asked:
                answer.result()
        for system in (self.system, self.other):
            def known(system=system):
                return (set(system.call(ACCESS, ACCESS1, "Apps").result()) == apps
                        and set(system.call(DIRECTORY, RULES1, "Blocked").result()) == rules)
            wait_until(known, lambda: f"{system} lacks some")
        self.end_other(signal.SIGTERM)
        self.other.start_daemon()
        self.assertEqual(set(self.other.call(ACCESS, ACCESS1, "Apps").result()), apps)
        self.assertEqual(set(self.other.call(DIRECTORY, RULES1, "Blocked").result()), rules)

    def test_a_session_that_hangs_is_not_awaited(self):
        """Its store has the recents for itself."""
        for system in (self.system, self.other):
            self.end(system, signal.SIGTERM)
        with open(f"{self.system.environment['XDG_DATA_HOME']}/opencallkit/store.lock", "r+b") as lock:
            fcntl.fcntl(lock, F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
            self.system.start_daemon()
            self.pid = self.system.daemon.pid
            answer = self.system.call(
                RECENTS, RECENTS1, "List", "a{sv}uu", variants({}), dbus.UInt32(0), dbus.UInt32(50)).wait()
            self.assertRefused(answer, "StoreUnavailable")
            self.assertIn("another session", self.system.get(RECENTS, RECENTS1, "Degraded"))
        wait_until(lambda: not self.system.get(RECENTS, RECENTS1, "Degraded"), "it is still unavailable", every=0.05)
        self.assertEqual(len(self.rows_in(self.system)), 1)

    def test_what_one_changes_the_other_knows(self):
        def ctl(system, *arguments):
            output = system.run(f"{BUILD}/callctl", *arguments)
            self.assertEqual(output.status, 0, output.errors)
            return output.text
        for one, other in ((self.system, self.other), (self.other, self.system)):
            ctl(one, "block", "+46701740605")
            wait_until(lambda: "+46701740605" in ctl(other, "blocked"), "the rule is not known")
            ctl(other, "unblock", "+46701740605")
            wait_until(lambda: "+46701740605" not in ctl(one, "blocked"), "the rule is still known")
            ctl(one, "favorites", "add", "+46701740606", "Zoe")
            wait_until(lambda: "Zoe" in ctl(other, "favorites"), "the favorite is not known")
            ctl(other, "favorites", "remove", "Zoe")
            wait_until(lambda: "Zoe" not in ctl(one, "favorites"), "the favorite is still known")
            ctl(one, "dnd", "on")
            wait_until(lambda: ctl(other, "dnd").startswith("on"), "Do Not Disturb is not known")
            ctl(other, "dnd", "off")
            wait_until(lambda: ctl(one, "dnd").startswith("off"), "Do Not Disturb is still on")
            choice = dbus.Dictionary({"sip": "Gamma"}, "ss")
            one.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DefaultProviders", choice).result()
            wait_until(lambda: other.get(ROOT, SYSTEM, "DefaultProviders") == choice, "the choice is not known")
            one.call(ROOT, PROPERTIES, "Set", "ssv", SYSTEM, "DefaultProviders", dbus.Dictionary({}, "ss")).result()
            wait_until(lambda: not other.get(ROOT, SYSTEM, "DefaultProviders"), "the choice is still known")
