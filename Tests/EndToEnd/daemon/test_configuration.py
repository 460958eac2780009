"""The configuration file of the daemon."""

import os

from daemon.program import DAEMON, leave
from support.case import SystemTest
from support.messages import variants
from support.system import RECENTS, RECENTS1, ROOT, SYSTEM


class ConfigurationFile(SystemTest):
    def setUp(self):
        super().setUp()
        self.write("config", "")

    def write(self, folder, text):
        path = f"{self.system.folder.name}/{folder}/opencallkit/callkitd.conf"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def restart(self, *arguments):
        leave(self.system)
        self.system.arguments = list(arguments)
        self.system.start_daemon()
        self.pid = self.system.daemon.pid

    def seen(self):
        deadlines = self.property(ROOT, "Deadlines", SYSTEM)
        return self.property(ROOT, "Policy", SYSTEM), deadlines["answer"], deadlines["end"]

    def test_its_options_count_and_the_command_line_wins(self):
        self.write("config", "# what we like\r\n\r\n  policy = ios\r\ndeadline=answer=1234\ndeadline = end=4321\n")
        self.restart()
        self.assertEqual(self.seen(), ("ios", 1234, 4321))
        self.restart("--policy", "android", "--deadline=end=2222")
        self.assertEqual(self.seen(), ("android", 1234, 2222))

    def test_the_users_file_comes_before_the_systems(self):
        os.remove(self.write("config", ""))
        self.write("system-config", "policy = ios\n")
        self.system.environment["XDG_CONFIG_DIRS"] = f"/nowhere:{self.system.folder.name}/system-config"
        self.restart()
        self.assertEqual(self.property(ROOT, "Policy", SYSTEM), "ios")
        self.write("config", "policy = android\n")
        self.restart()
        self.assertEqual(self.property(ROOT, "Policy", SYSTEM), "android")

    def test_a_switch(self):
        self.write("config", "no-store = yes\n")
        self.restart()
        rows = self.system.call(RECENTS, RECENTS1, "List", "a{sv}uu", variants({}), 0, 10).wait()
        self.assertEqual(rows.error.get_dbus_name(), "org.opencallkit.Error.StoreUnavailable")
        self.write("config", "no-store = no\n")
        self.restart()
        self.wait_store()

    def test_what_is_wrong_is_named_with_file_and_line(self):
        for text, line, words in (
                ("policy = ios\npolcy = ios\n", 2, ("polcy", "policy")),
                ("\n\npolicy = nonsense\n", 3, ("nonsense", "desktop")),
                ("deadline = answer\n", 1, ("answer=ms",)),
                ("deadline = answr=100\n", 1, ("answr=100", "kind=ms", "answer, end")),
                ("deadline = answer=0\n", 1, ("answer=0", "at least 1 ms")),
                ("policy = ios\n# again\npolicy = ios\n", 3, ("policy is set in line 1 already",)),
                ("deadline = end=1\ndeadline = end=2\n", 2, ("deadline end is set in line 1 already",)),
                ("no-store = no\nno-store = yes\n", 2, ("no-store is set in line 1 already",)),
                ("log-level\n", 1, ("log-level", "key = value")),
                ("log-level =\n", 1, ("key = value",)),
                ("no-store = maybe\n", 1, ("maybe", "yes or no")),
                ("help = yes\n", 1, ("help",)),
                ("bus-timeout = 0\n", 1, ("0", "milliseconds")),
                ("[callkitd]\n", 1, ("[callkitd]",))):
            with self.subTest(text=text):
                path = self.write("config", text)
                output = self.system.run(DAEMON)
                self.assertEqual(output.status, 64)
                self.assertIn(f"{path}:{line}: ", output.errors)
                for word in words:
                    self.assertIn(word, output.errors)

    def test_a_file_that_cannot_be_read_is_named(self):
        path = self.write("config", "")
        os.remove(path)
        os.mkdir(path)
        output = self.system.run(DAEMON)
        self.assertEqual(output.status, 64)
        self.assertIn(path, output.errors)

    def test_help_needs_no_valid_file(self):
        self.write("config", "nonsense\n")
        output = self.system.run(DAEMON, "--help")
        self.assertEqual(output.status, 0)
        self.assertIn("callkitd.conf", output.text)
