"""The log says nothing of who calls whom, at any level, unless it is asked to."""

import os
import re
import shutil
import signal

import dbus

from support.messages import variants, without_uuids
from support.provider import Provider
from support.screener import Screener
from support.store import StoreTest
from support.system import BUILD, CALL, DIRECTORY, DIRECTORY1, EXTENSION1, PROPERTIES, PROVIDER, ROOT, RULES1
from support.waiting import exited, wait_until

NUMBER, SECOND, THIRD = "+46701740605", "+46701740616", "+46701740627"
CALLER, CONTACT, FAVORITE, LABEL = "Zacharias Quartermaine", "Wilhelmina Ravenscroft", "Annabella", "Featherstone"
DIGITS, PIN = "3133731337", "8642024680"
CANARIES = ("4670174", "070174", "7017406", "Zacharias", "Quartermaine", "Wilhelmina", "Ravenscroft", "Annabella", "Featherstone", DIGITS, PIN,
            "owl@example.org", "card-of-zacharias", "busy-with-zacharias")


class Logs(StoreTest):
    """A minute's worth of everything, at the most talkative level."""

    arguments = ("--region", "SE", "--log-level", "trace")
    with_plugins = True
    shown = False

    def setUp(self):
        if self.shown:
            self.arguments = (*self.arguments, "--log-identities")
        super().setUp()
        home = self.system.folder.name
        self.system.daemon.send_signal(signal.SIGTERM)
        self.assertEqual(exited(self.system.daemon), 0)
        wait_until(lambda: not self.system.owner, "the name is still owned")
        write(f"{home}/data/opencallkit/directory/rules",
              f"block {NUMBER}\nblok {SECOND}\nblock 'O'Brien {THIRD}x\n")
        write(f"{home}/config/opencallkit/do-not-disturb", f"do-not-disturb on={NUMBER}\n")
        write(f"{home}/config/opencallkit/default-providers", f"phone-number {CALLER} {NUMBER}\n")
        write(f"{home}/config/opencallkit/lists/a.txt", f"{NUMBER}\nblock {SECOND} {CALLER}\n")
        write(f"{home}/config/opencallkit/lists/b.csv", f"{THIRD},{LABEL}\n{SECOND};{LABEL}\n")
        write(f"{home}/data/kpeoplevcard/zacharias.vcf",
              f"BEGIN:VCARD\nVERSION:3.0\nFN:{CONTACT}\nTEL:{SECOND}\nTEL:{CALLER}\nEND:VCARD\n")
        write(f"{home}/data/kpeoplevcard/{THIRD}.vcf", f"BEGIN:VCARD\nFN:{CALLER}\nTEL:")
        shutil.copy(f"{BUILD}/libMisbehaving.so", f"{home}/data/opencallkit/plugins/Misbehaving.so")
        self.system.forget_connections()
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.system.wait_ready("Misbehaving")

    def play(self):
        numbers = dbus.Array(["phone-number", "email-address", "generic"], signature="s")
        provider = Provider(self.system, supported_handle_types=numbers)
        self.wait_store()
        self.incoming(provider)
        self.outgoing(provider)
        self.rules(provider)
        self.directories()
        self.a_crash()
        self.system.sync()

    def incoming(self, provider):
        call = provider.incoming(handle=("phone-number", NUMBER[:-1] + "9"), localized_caller_name=CALLER,
                                 network_name=CALLER, diverted_by=dbus.Struct(("phone-number", SECOND), signature="ss"))
        self.answer(call).result()
        provider.update(call, localized_caller_name=CALLER + " II",
                        transfer_request=dbus.Struct(("phone-number", THIRD), signature="ss")).result()
        self.system.call(call, CALL, "PlayDTMF", "s", DIGITS).result()
        self.end(call).result()
        self.reject(provider.incoming(handle=("email-address", "owl@example.org")), "busy-with-zacharias").result()

    def outgoing(self, provider):
        path = dbus.ObjectPath(provider.path)
        for handle in (f"tel:{SECOND},{PIN}#", f"sip:{CALLER.split()[1]}", "mailto:owl@example.org"):
            pending = self.start_call(handle, provider=path, **{"contact-identifier": "card-of-zacharias"})
            pending.wait()
            if pending.error is None:
                self.end(pending.value).result()
        self.start_call(f"tel:{THIRD}", conflict="fail").wait()
        self.start_call(f"tel:{CALLER}").wait()

    def rules(self, provider):
        def rule(member, text):
            return self.system.call(DIRECTORY, RULES1, member, "s", text).wait()
        rule("Block", SECOND)
        rule("Block", f"{SECOND}-nonsense {CALLER}")
        rule("Allow", f"{THIRD[:9]}…")
        provider.report_incoming(handle=("phone-number", SECOND), localized_caller_name=CALLER).wait()
        screener = Screener(self.system, ("reject", f"{THIRD}, {CALLER}"))
        provider.report_incoming(handle=("phone-number", THIRD), localized_caller_name=CALLER).wait()
        screener.unregister().result()
        self.add(THIRD, FAVORITE).result()
        self.add(f"{THIRD}{CALLER}", FAVORITE).wait()
        self.system.call(DIRECTORY, DIRECTORY1, "Identify", "s", SECOND).wait()
        self.system.call(DIRECTORY, DIRECTORY1, "FindPeople", "s", CONTACT.split()[0]).wait()
        self.recents("List", "a{sv}uu", variants({"text": CALLER}), dbus.UInt32(0), dbus.UInt32(5)).wait()

    def directories(self):
        """A list with errors, whose message quotes it."""
        self.system.call(f"{ROOT}/plugins/ListDirectory", PROPERTIES, "Set", "ssv", EXTENSION1, "Status",
                         "enabled").result()
        wait_until(lambda: re.search("directory ListDirectory: (?!loading)", self.system.read_log()), "it loads on", every=0.05)

    def a_crash(self):
        """The last words of a plugin."""
        self.system.call(f"{ROOT}/providers/Misbehaving", PROVIDER, "PerformCustomAction", "sa{sv}", "blurt",
                         variants({})).wait()
        self.system.wait_logged("plugin Misbehaving: its worker ended")

    def lines(self):
        """What our programs have logged; a plugin's own words are not theirs. The moment of a line and the identifiers of
        calls are left out, as they may have any digits.
        """
        matches = [re.match(r"^\d{4}-\d\d-\d\dT\S+ (\w+ callkit.*)", line) for line in self.system.read_log().splitlines()]
        return [without_uuids(match[1]) for match in matches if match]

    def test_nobody_is_named(self):
        self.play()
        lines = self.lines()
        self.assertGreater(len(lines), 100)
        found = {canary: [line for line in lines if canary in line][:2] for canary in CANARIES}
        self.assertEqual({canary: lines for canary, lines in found.items() if lines}, {})
        log = "\n".join(lines)
        for text in ("handle-1", "name-1", "directory/rules, line 2", "do-not-disturb is damaged"):
            self.assertIn(text, log)


class LogsWithIdentities(Logs):
    shown = True

    def test_nobody_is_named(self):
        """Everybody is: the session of the other test would name them."""
        self.play()
        log = "\n".join(self.lines())
        for canary in ("4670174", "Zacharias", "Quartermaine", DIGITS, PIN, "owl@example.org", "card-of-zacharias",
                       "busy-with-zacharias", "no line to"):
            self.assertIn(canary, log)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
