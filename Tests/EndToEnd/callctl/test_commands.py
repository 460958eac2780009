"""callctl's commands for calls, providers and plugins."""

import json
import subprocess

import dbus

from support.case import SystemTest
from support.messages import uuid_of
from support.provider import Provider
from support.system import BUILD, IDENTITY, PROVIDER, REPOSITORY, ROOT, SYSTEM
from support.waiting import wait_until

CALLCTL = f"{BUILD}/callctl"
DONE, REFUSED, USAGE, UNKNOWN, UNREACHABLE = 0, 1, 64, 66, 69


class Commands(SystemTest):
    with_plugins = True

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system, "Python")

    def callctl(self, *words, status=DONE, **environment):
        output = self.system.run(CALLCTL, *words, **environment)
        self.assertEqual(output.status, status, f"callctl {words}: {output.text}{output.errors}")
        if status != DONE:
            self.assertTrue(output.errors.strip() or status == USAGE)
        return output

    def data(self, *words, status=DONE):
        return json.loads(self.callctl(*words, "--json", status=status).text)

    def test_list_nothing(self):
        self.assertEqual(self.data("list"), [])

    def test_list_start_hold_resume_end(self):
        started = self.data("start", "generic:somebody", "--provider", "app_Python")
        call = started["object"]
        self.assertEqual(started["id"], uuid_of(call))
        self.wait_state(call, "active")
        listed = self.data("list")
        self.assertEqual([(one["object"], one["state"], one["provider"]) for one in listed],
                         [(call, "active", self.provider.path)])
        self.assertEqual(self.data("hold", started["id"][:8])["object"], call)
        self.assertState(call, "held")
        self.assertEqual(self.property(call, "HeldBy"), "user")
        self.assertEqual(self.data("resume", started["id"])["object"], call)
        self.assertState(call, "active")
        self.assertEqual(self.data("end", call)["object"], call)
        self.assertEnded(call, "local-ended", "user")

    def test_no_argument_is_lost_under_a_preloaded_library(self):
        # swiftlang/swift #76080: the library sets a variable before the runtime looks for the arguments.
        library = f"{self.system.folder.name}/environment.so"
        source = f"{REPOSITORY}/Tests/Fixtures/Environment/environment.c"
        subprocess.run(["clang", "-shared", "-fPIC", source, "-o", library], check=True)
        call = self.provider.active()
        self.callctl("no-such-command", status=USAGE, LD_PRELOAD=library)
        self.callctl("end", uuid_of(call), "", status=USAGE, LD_PRELOAD=library)
        self.assertState(call, "active")
        self.callctl("end", uuid_of(call), LD_PRELOAD=library)
        self.assertEnded(call, "local-ended", "user")
        for program, option in (("callkitd", "--policy"), ("callkit-store", "--region"), ("callkit-contacts", "--x"),
                                ("callkit-secrets", "--x"), ("callkit-desktop", "--deadline")):
            with self.subTest(program):
                output = self.system.run(f"{BUILD}/{program}", option, LD_PRELOAD=library)
                self.assertEqual(output.status, USAGE, output.errors)

    def test_answer_the_only_one_that_rings(self):
        call = self.simulate_incoming("MonkeyCall")
        self.assertEqual(self.data("answer")["object"], call)
        self.assertState(call, "active")

    def test_answer_holds_another_providers_call(self):
        held = self.provider.active()
        call = self.simulate_incoming("MonkeyCall")
        self.callctl("answer", uuid_of(call)[:8])
        self.assertState(held, "held")
        self.assertState(call, "active")

    def test_mute_dtmf_show_explain(self):
        call = self.provider.active(localized_caller_name="Ada")
        self.callctl("mute")
        self.assertTrue(self.property(call, "Muted"))
        self.callctl("unmute")
        self.assertFalse(self.property(call, "Muted"))
        self.callctl("dtmf", "12#")
        self.assertEqual(self.provider.wait_action("play-dtmf").details["digits"], "12#")
        self.assertEqual(self.data("show")["caller-name"], "Ada")
        self.assertIn("Ada", self.callctl("show").text)
        self.assertTrue(self.data("explain"))

    def test_translate(self):
        call = self.data("start", "tel:+46100", "--provider", "Hotline")["object"]
        self.wait_state(call, "active")
        self.callctl("translate", "--from", "en-GB", status=USAGE)
        self.callctl("translate", "--off", status=UNKNOWN)
        self.assertEqual(self.data("translate", "--from", "en-GB", "--to", "sv")["object"], call)
        self.assertEqual(dict(self.property(call, "Translation")),
                         {"local-language": "en-GB", "remote-language": "sv", "engine": "custom"})
        self.assertIn("en-GB to sv", self.callctl("show").text)
        self.assertIn("en-GB to sv", self.callctl("list").text)
        self.callctl("translate", "--off")
        self.assertEqual(self.property(call, "Translation"), {})
        self.end(call).result()
        self.provider.active()
        self.callctl("translate", "--from", "en-GB", "--to", "sv", status=UNKNOWN)

    def test_transfer(self):
        network = Provider(self.system, "Network", delegate="/network", supports_transfer=True)
        self.provider.active()
        self.callctl("transfer", "generic:x", status=UNKNOWN)
        self.callctl("end")
        first = self.data("start", "generic:a", "--provider", "app_Network")["object"]
        self.wait_state(first, "active")
        self.callctl("transfer", status=USAGE)
        network.behaviour["transfer"] = "fail"
        self.assertIn("ActionFailed", self.callctl("transfer", "generic:x", status=REFUSED).errors)
        self.assertState(first, "active")
        second = self.data("start", "generic:b", "--provider", "app_Network")["object"]
        self.wait_state(second, "active")
        self.assertState(first, "held")
        self.callctl("transfer", "generic:x", status=UNKNOWN)
        self.assertEqual(self.data("transfer", "--to-call", "held")["object"], second)
        action = network.wait_action("transfer-to")
        self.assertEqual((action.uuid, action.details["other"]), (uuid_of(second), uuid_of(first)))
        for call in (first, second):
            self.assertEnded(call, "transferred", "user")
        network.behaviour["transfer"] = "fulfil"
        third = self.data("start", "generic:c", "--provider", "app_Network")["object"]
        self.wait_state(third, "active")
        self.assertEqual(self.data("transfer", "active", "generic:x")["object"], third)
        self.assertEqual(tuple(network.wait_action("transfer", 2).details["to"]), ("generic", "x"))
        self.assertEnded(third, "transferred", "user")

    def test_a_transfer_that_the_far_side_asks_for(self):
        call = self.provider.active()
        self.callctl("accept-transfer", "generic:carol", status=UNKNOWN)
        ask = lambda kind, value: self.provider.update(
            call, transfer_request=dbus.Struct((kind, value), signature="ss")).result()
        ask("generic", "carol")
        self.provider.update(call, network_name="The network", codec="opus/48000", verification="passed").result()
        shown = self.callctl("show").text
        for row in (r"asks for +generic:carol", r"network name +The network", r"codec +opus/48000", r"verification +passed"):
            self.assertRegex(shown, row + r"\n")
        self.assertIn("asks for generic:carol", self.callctl("accept-transfer", "mallory", status=REFUSED).errors)
        self.assertIn("transferred", self.callctl("accept-transfer", "carol").text)
        self.assertEqual(tuple(self.provider.wait_action("answer-transfer").details["to"]), ("generic", "carol"))
        self.callctl("decline-transfer", status=UNKNOWN)
        ask("phone-number", "+46701740605")
        self.provider.behaviour["answer-transfer"] = "fail"
        self.callctl("accept-transfer", "active", "+46 70-174 06 05", status=REFUSED)
        self.provider.behaviour["answer-transfer"] = "fulfil"
        self.provider.forget()
        self.assertIn("declined the transfer of", self.callctl("decline-transfer").text)
        self.assertEqual(tuple(self.provider.wait_action("answer-transfer").details["to"]), ("", ""))
        self.assertState(call, "active")

    def test_what_is_so_already_is_not_done(self):
        call = self.provider.active(localized_caller_name="Ada")
        name = f"{uuid_of(call)[:8]} (Ada)"
        self.assertEqual(self.callctl("mute", "ada").text, f"muted {name}\n")
        self.assertEqual(self.callctl("mute", "ada").text, f"{name} is muted already\n")
        self.assertEqual(self.callctl("resume", "ada").text, f"{name} is active already\n")
        self.callctl("hold", "ada")
        self.assertEqual(self.callctl("hold", "ada").text, f"{name} is held already\n")
        self.assertEqual(self.provider.kinds().count("set-held+"), 1)

    def test_providers_and_plugins(self):
        providers = {one["object"]: one for one in self.data("providers")}
        self.assertEqual(providers[self.provider.path]["localized-name"], "Python")
        plugins = {one["object"].rsplit("/", 1)[1]: one for one in self.data("plugins", "list")}
        self.assertEqual((plugins["Hotline"]["state"], plugins["MonkeyCall"]["state"]), ("ready", "ready"))
        self.callctl("plugins", "disable", "Hotline")
        wait_until(lambda: self.system.shown(f"{ROOT}/plugins/Hotline", "State") == "disabled", "it is not disabled")
        self.callctl("plugins", "restart", "Hotline", status=REFUSED)
        self.callctl("plugins", "enable", "Hotline")
        self.system.wait_ready("Hotline")
        before = plugins["MonkeyCall"]["pid"]
        self.callctl("plugins", "restart", "MonkeyCall")
        wait_until(lambda: self.system.shown(f"{ROOT}/plugins/MonkeyCall", "State") == "ready"
                   and self.system.shown(f"{ROOT}/plugins/MonkeyCall", "Pid") not in (0, before), "it is not restarted")

    def test_which_provider_takes_a_call(self):
        self.wait_store()
        self.assertEqual(self.data("providers", "default"), {})
        before = [one["provider-id"] for one in self.data("providers", "find", "tel:+46100") if one["takes"]]
        self.assertEqual(set(before) & {"Hotline", "MonkeyCall"}, {"Hotline", "MonkeyCall"})
        chosen = before[-1]
        self.assertEqual(self.data("providers", "default", "phone-number", chosen), {"phone-number": chosen})
        self.assertEqual(dict(self.property(ROOT, "DefaultProviders", SYSTEM)), {"phone-number": chosen})
        self.assertEqual(self.data("providers", "find", "tel:+46100")[0]["provider-id"], chosen)
        self.assertIn(chosen, self.callctl("providers", "default").text)
        self.callctl("providers", "default", "phone-number", "Nobody", status=UNKNOWN)
        self.callctl("providers", "default", "a b", chosen, status=USAGE)
        self.assertEqual(self.data("providers", "default", "phone-number", "none"), {})
        self.assertIn("REASON", self.callctl("providers", "find", "somebody@example.org").text)

    def test_action(self):
        answer = self.data("action", "MonkeyCall", "simulate-incoming", "handle=generic:bananas", "name=Bananas")
        call = f"{ROOT}/calls/{answer['call-uuid'].replace('-', '_')}"
        self.wait_state(call, "ringing")
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "Bananas")
        self.callctl("action", "MonkeyCall", "nonsense", status=REFUSED)
        for plugin in ("MonkeyCall", "Hotline"):
            answer = self.data("action", plugin, "simulate-incoming", "handle=tel:+15550100")
            call = f"{ROOT}/calls/{answer['call-uuid'].replace('-', '_')}"
            self.assertEqual(tuple(self.property(call, "Handle", IDENTITY)), ("phone-number", "+15550100"))

    def test_plan(self):
        self.provider.active()
        call = self.simulate_incoming("MonkeyCall")
        plan = self.data("plan", "answer", uuid_of(call))
        self.assertEqual([row["kind"] for row in plan], ["set-held", "answer"])
        self.assertState(call, "ringing")

    def test_exit_codes(self):
        self.callctl("answer", status=UNKNOWN)
        self.callctl("end", "ffffffff", status=UNKNOWN)
        self.callctl("start", "generic:x", "--provider", "Nobody", status=UNKNOWN)
        self.callctl("start", status=USAGE)
        self.callctl("nonsense", status=USAGE)
        self.callctl("list", status=UNREACHABLE, DBUS_SESSION_BUS_ADDRESS=f"unix:path={self.system.folder.name}/none")
        self.provider.active(supports_holding=False)
        refused = self.callctl("start", "generic:x", status=REFUSED)
        self.assertIn("CannotHoldActiveCall", refused.errors)
        self.assertEqual(refused.text, "")

    def test_an_ambiguous_reference_is_not_guessed(self):
        self.provider.report_incoming("aaaaaaaa-0000-4000-8000-000000000001").result()
        self.provider.report_incoming("aaaaaaaa-0000-4000-8000-000000000002").result()
        self.callctl("end", "aaaaaaaa", status=UNKNOWN)
        self.callctl("answer", status=UNKNOWN)
        self.assertEqual(self.provider.kinds(), [])
        self.callctl("end", "aaaaaaaa-0000-4000-8000-000000000002")
        self.assertEqual(len(self.provider.kinds()), 1)

    def test_a_table_of_eighty_columns_without_colour(self):
        call = uuid_of(self.provider.active(localized_caller_name="A very long name " * 8))
        self.simulate_incoming("MonkeyCall", name="B" * 200)
        for words in (("list",), ("plan", "end", call), ("recents",), ("plugins",), ("mute", call), ("end", call)):
            text = self.callctl(*words, COLUMNS="80").text
            self.assertRegex(text, "MonkeyCall|A very long name")
            self.assertNotIn("\x1b", text)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, f"{words}: {line}")

    def test_names_cannot_paint_the_terminal(self):
        self.provider.active(localized_caller_name="\x1b[31mred\x07")
        for words in (("list",), ("show",), ("list", "--json")):
            text = self.callctl(*words).text
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\x07", text)

    def test_do_not_disturb(self):
        self.assertEqual(self.data("dnd"), {"do-not-disturb": False, "quiet-sources": []})
        self.wait_store()
        self.callctl("dnd", "on")
        self.assertTrue(self.property(ROOT, "DoNotDisturb", SYSTEM))
        self.assertRefused(self.provider.report_incoming(), "FilteredByDoNotDisturb")
        rules = self.data("dnd", "off", "--schedule", "22:00-07:00@mon", "--allow-favorites", "no")["do-not-disturb-rules"]
        self.assertEqual(rules, {"allow-favorites": False, "allow-repeated": True, "manual": False,
                                 "providers-allowed": [], "schedule": [{"days": ["mon"], "from": "22:00", "until": "07:00"}]})
        self.assertIn("25:00", self.callctl("dnd", "--schedule", "22:00-25:00", status=REFUSED).errors)

    def test_completions_help_and_version(self):
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("callctl", self.callctl("--generate-completion-script", shell).text)
        text = self.callctl("--help").text
        for word in ("answer", "plugins", "Exit codes", "69"):
            self.assertIn(word, text)
        self.assertIn(self.property(ROOT, "Version", SYSTEM), self.callctl("--version").text)
        self.assertEqual(self.property(self.provider.path, "State", PROVIDER), "ready")
