"""The plugin ListDirectory, which reads lists of numbers in files."""

import os
import shutil

from access.app import APP, Listener, SandboxedApp
from support.directories import DirectoryTest, wait_asking
from support.messages import strings
from support.system import BUILD, EXTENSION1, MANAGER, PLUGIN, PLUGINS, PROPERTIES, ROOT
from support.waiting import wait_until


class Lists(DirectoryTest):
    """The plugin ListDirectory."""

    def setUp(self):
        super().setUp()
        self.lists = f"{self.system.folder.name}/config/opencallkit/lists"
        os.makedirs(self.lists)
        # Its Plugin.ini asks for the folder, which is granted as it lies outside the user's own plugins.
        shutil.copytree(f"{PLUGINS}/ListDirectory.callplugin", f"{self.folder}/new")
        os.rename(f"{self.folder}/new", f"{self.folder}/ListDirectory.callplugin")
        self.wait_extension("ListDirectory")

    def write(self, name, text):
        with open(f"{self.lists}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def test_lists_are_merged(self):
        self.write("a.txt", "# spam\n+46 70 123 45 67\n1234\n")
        self.write("b.txt", "1234\n46900111222 # premium\n")
        self.write("c.csv", "number;label\n1111;RW Tutorial Team\n5555\n1111;\"RW; Tutorial Team\"\n1111;RW Tutorial Team\n")
        self.write("not-a-list.md", "hello")
        self.enable("ListDirectory")
        report = self.report("ListDirectory")
        self.assertEqual((str(report["message"]), report["blocked"], report["identified"]), ("", 4, 2))
        for number in ("+46701234567", "1234", "+46900111222", "5555"):
            self.assertEqual(self.blocked(number), (True, "ListDirectory"))
        self.assertEqual(self.identified("1111"), ("RW Tutorial Team", "ListDirectory"))

    def test_an_invalid_line_costs_that_line_and_is_told(self):
        """haumacher/phoneblock PR #28, #482; adamff-dev/spam-call-blocker-app #21."""
        self.write("spam.txt", "+441632960001\n+44163296002*\n+1555010????\n00441632960003\nZacharias 4477\n")
        self.write("b.csv", "1111,Team\nZacharias,Team\n")
        self.enable("ListDirectory")
        for number in ("+441632960001", "+44163296002", "+4416329600299", "+441632960003", "+15550100123"):
            self.assertEqual(self.blocked(number), (True, "ListDirectory"), number)
        for number in ("+44163296003", "+155501001234", "+1555010012", "44163296002", "4477"):
            self.assertEqual(self.blocked(number), (False, ""), number)
        report = self.report("ListDirectory")
        self.assertEqual((str(report["error"]), report["blocked"], report["identified"], report["left-out"]), ("", 2, 1, 2))
        self.assertGreater(report["ranges"], 1)
        told = [f"{self.lists}/b.csv:2: no number, expected digits as in +46701234567",
                f"{self.lists}/spam.txt:5: no number, expected digits as in +46701234567"]
        self.assertEqual(self.complaints(), told)
        logged = [text.rsplit("/", 1)[1] for text in told]
        wait_until(lambda: all(text in self.system.read_log() for text in logged), "the log does not tell")
        self.assertNotIn("Zacharias", self.system.read_log() + repr(self.system.events))
        shown = self.system.run(f"{BUILD}/callctl", "directory", "report", "ListDirectory").text
        self.assertRegex(shown, r"left out +2 entries\n")
        self.assertIn("b.csv:2: no number", shown)
        self.assertIn("ListDirectory left out 2 entries", self.system.run(f"{BUILD}/callctl", "doctor").text)
        os.unlink(f"{self.lists}/b.csv")
        self.write("spam.txt", "1234\n")
        self.reload(name="ListDirectory").result()
        self.assertEqual((self.complaints(), self.report("ListDirectory")["left-out"]), ([], 0))
        self.assertEqual(self.blocked("+15550100123"), (False, ""))

    def test_the_first_hundred_are_told_and_all_counted(self):
        self.write("a.txt", "1234\n" + "x\n" * 250)
        self.enable("ListDirectory")
        self.assertEqual((len(self.complaints()), self.report("ListDirectory")["left-out"]), (100, 250))
        self.assertIn("a.txt:101: ", self.complaints()[-1])

    def test_what_is_copied_and_exported_is_read(self):
        """verbb/hyper #86, signalapp/Signal-Android #11630, glific/glific #4815, aj3423/SpamBlocker #427."""
        self.write("a.txt", "\u202d+44 1632\u00a0960001\u202c")
        self.write("b.csv", "phone,name,notes\n+441632960002,Spam,\"reported 3 times\"\n'+441632960003,Spam,\n")
        self.write("blacklist.csv", "number,description\n+441632960004,Telemarketer\n")
        self.write("fritz.+49.txt", "06920436149\n")
        self.enable("ListDirectory")
        self.assertEqual(self.complaints(), [])
        self.assertEqual(self.blocked("+441632960001"), (True, "ListDirectory"))
        for number in ("+441632960002", "+441632960003"):
            self.assertEqual((self.identified(number)[0], self.blocked(number)), ("Spam", (False, "")))
        self.assertEqual((self.identified("+441632960004")[0], self.blocked("+441632960004")[0]), ("Telemarketer", True))
        self.assertEqual(self.blocked("+496920436149"), (True, "ListDirectory"))

    def test_without_a_valid_line_the_earlier_entries_stay(self):
        self.write("a.txt", "1234\n")
        self.enable("ListDirectory")
        self.write("a.txt", "Zacharias\n")
        pending = self.reload(name="ListDirectory")
        self.assertRefused(pending, "LoadingInterrupted")
        self.assertRegex(pending.error_text, r"lists/a\.txt:1: no number, expected digits as in \+46701234567")
        self.assertEqual(self.blocked("1234"), (True, "ListDirectory"))
        self.assertEqual(self.report("ListDirectory")["left-out"], 1)

    def complaints(self):
        return list(map(str, self.property(self.plugin("ListDirectory"), "Complaints", EXTENSION1)))

    def test_complaints_are_for_those_who_may_know_whom_the_lists_name(self):
        app = SandboxedApp(self.system)
        self.addCleanup(app.close)
        client = app.connect()
        listener = Listener(client)
        self.write("Zacharias.txt", "0701234567\n")
        self.set_status("enabled", "ListDirectory").result()
        self.wait_loaded("ListDirectory")
        self.assertIn("Zacharias", str(self.report("ListDirectory")["message"]))
        path = self.plugin("ListDirectory")
        told = [(set(event.arguments[1]), set(event.arguments[2]))
                for event in self.system.told("PropertiesChanged", EXTENSION1)]
        self.assertTrue(any("ErrorMessage" in invalidated for _, invalidated in told), told)
        self.assertTrue(any("Complaints" in invalidated for _, invalidated in told), told)
        self.assertFalse(any({"ErrorMessage", "Complaints"} & changed for changed, _ in told), told)
        shown = self.system.call(path, PROPERTIES, "GetAll", "s", EXTENSION1, connection=client).result()
        self.assertEqual(str(shown["Report"]["error"]), "LoadingInterrupted")
        for name in ("ErrorMessage", "Complaints"):
            self.assertNotIn(name, shown)
            self.assertRefused(
                self.system.call(path, PROPERTIES, "Get", "ss", EXTENSION1, name, connection=client), "AccessDenied")
        self.system.call(ROOT, MANAGER, "GetManagedObjects", connection=client).result()
        listener.wait("PropertiesChanged")
        self.system.call(f"{ROOT}/access", "org.opencallkit.Access1", "Grant", "sas", APP, strings("administer")).result()
        self.assertRefused(self.system.call(path, EXTENSION1, "Reload", connection=client), "LoadingInterrupted")
        self.assertEqual(app.received.count(b"Zacharias"), 0)
        self.assertNotIn("Zacharias", repr(self.system.events))

    def test_lists_that_were_not_granted_are_not_there(self):
        self.write("a.txt", "1234\n")
        self.enable("ListDirectory")
        self.assertEqual(self.blocked("1234"), (True, "ListDirectory"))
        path = self.plugin("ListDirectory")
        permission = "files:xdg-config/opencallkit/lists"
        self.assertEqual(list(self.property(path, "Granted", PLUGIN)), [permission])
        self.system.call(path, PLUGIN, "Revoke", "as", [permission]).result()
        self.assertEqual(self.property(path, "State", PLUGIN), "needs-consent")
        wait_asking(lambda: self.blocked("1234") == (False, ""), "its entries stay in force")
        self.assertRefused(self.reload(name="ListDirectory"), "ExtensionDisabled")
        self.system.call(path, PLUGIN, "Grant", "as", [permission]).result()
        wait_asking(lambda: self.blocked("1234") == (True, "ListDirectory"), "its entries do not return")
        self.reload(name="ListDirectory").result()

    def test_a_link_to_what_is_private_is_not_followed(self):
        keys = f"{self.system.folder.name}/.ssh"
        os.mkdir(keys)
        os.rmdir(self.lists)
        os.symlink(keys, self.lists)
        self.set_status("enabled", "ListDirectory").result()
        self.wait_loaded("ListDirectory")
        report = self.report("ListDirectory")
        self.assertEqual(str(report["error"]), "LoadingInterrupted")
        self.assertIn("is not given files:xdg-config/opencallkit/lists", str(report["message"]))
