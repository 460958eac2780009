"""The plugin ListDirectory, which reads lists of numbers in files."""

import os
import shutil

from access.app import APP, Listener, SandboxedApp
from support.directories import DirectoryTest, wait_asking
from support.messages import strings
from support.system import EXTENSION1, MANAGER, PLUGIN, PLUGINS, PROPERTIES, ROOT


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

    def test_complaints_name_file_and_line(self):
        self.write("a.txt", "1234\n")
        self.enable("ListDirectory")
        self.write("b.csv", "1111,Team\nabc,Team\n")
        pending = self.reload(name="ListDirectory")
        self.assertRefused(pending, "LoadingInterrupted")
        self.assertRegex(pending.error_text, r"lists/b\.csv:2: invalid number 'abc', expected digits as in \+46701234567")
        self.assertEqual(self.blocked("1234"), (True, "ListDirectory"))

    def test_complaints_are_for_those_who_may_know_whom_the_lists_name(self):
        app = SandboxedApp(self.system)
        self.addCleanup(app.close)
        client = app.connect()
        listener = Listener(client)
        self.write("a.txt", "Zacharias 0701234567\n")
        self.set_status("enabled", "ListDirectory").result()
        self.wait_loaded("ListDirectory")
        self.assertIn("Zacharias", str(self.report("ListDirectory")["message"]))
        path = self.plugin("ListDirectory")
        told = [(set(event.arguments[1]), set(event.arguments[2]))
                for event in self.system.told("PropertiesChanged", EXTENSION1)]
        self.assertTrue(any("ErrorMessage" in invalidated for _, invalidated in told), told)
        self.assertFalse(any("ErrorMessage" in changed for changed, _ in told), told)
        shown = self.system.call(path, PROPERTIES, "GetAll", "s", EXTENSION1, connection=client).result()
        self.assertEqual((str(shown["Report"]["error"]), "ErrorMessage" in shown), ("LoadingInterrupted", False))
        self.assertRefused(
            self.system.call(path, PROPERTIES, "Get", "ss", EXTENSION1, "ErrorMessage", connection=client),
            "AccessDenied")
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
