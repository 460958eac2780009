"""Ordinary code lives in the sandbox: what Foundation and Dispatch do for an app works, and what is denied is an error."""

import http.server
import json
import os
import shutil
import threading

from plugins.case import PluginTest
from support.messages import variants
from support.system import BUILD, PLUGIN, PROVIDER
from support.waiting import wait_until

CALLCTL = os.path.join(BUILD, "callctl")


class CheckingTest(PluginTest):
    """A plugin whose buttons are checks, in a bundle that asks for permissions."""

    def bundle(self, name, **words):
        """Puts a plugin into a bundle, with a Plugin.ini of these words."""
        new = f"{self.folder}/.{name}.new"
        os.mkdir(new)
        shutil.copy(f"{BUILD}/lib{name}.so", f"{new}/{name}.so")
        with open(f"{new}/Plugin.ini", "w", encoding="utf-8") as file:
            file.write("[Plugin]\n" + "".join(f"{key}={value}\n" for key, value in words.items()))
        os.rename(new, f"{self.folder}/{name}.callplugin")
        self.wait_ready(name)

    def press(self, name, button, **values):
        return self.system.call(self.provider(name), PROVIDER, "PerformCustomAction", "sa{sv}", button,
                                variants(values)).result()

    def see(self, name, button, **values):
        """What a check saw; it must not have gone wrong."""
        answer = self.press(name, button, **values)
        self.assertNotIn("wrong", answer, button)
        return str(answer["seen"])

    def wrong(self, name, button, **values):
        """What went wrong; it must have."""
        answer = self.press(name, button, **values)
        self.assertNotIn("seen", answer, button)
        return str(answer["wrong"])

    def assertAllIsWell(self, name):
        self.assertEqual({str(key): str(value) for key, value in self.press(name, "examine").items()}, {})

    def secret(self):
        """A file of the user's, which no plugin may read."""
        path = os.path.join(self.system.environment["HOME"], "secret.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("secret")
        return path


class Foundation(CheckingTest):
    def test_all_works_without_permissions(self):
        self.place("FoundationPlugin")
        self.wait_ready("FoundationPlugin")
        self.assertEqual(self.property(self.plugin("FoundationPlugin"), "Sandbox", PLUGIN), "full")
        self.assertAllIsWell("FoundationPlugin")
        self.assertEqual(self.see("FoundationPlugin", "permissions"), "")

    def test_what_is_denied_is_an_error(self):
        self.bundle("FoundationPlugin", Name="Foundation")
        path = self.secret()
        self.assertIn("URLError", self.see("FoundationPlugin", "download"))
        self.assertNotEqual(self.see("FoundationPlugin", "program"), "")
        self.assertNotEqual(self.wrong("FoundationPlugin", "read", path=path), "")
        self.assertNotEqual(self.wrong("FoundationPlugin", "write", path=path), "")
        self.assertNotEqual(self.wrong("FoundationPlugin", "write", path=path + ".new"), "")
        self.assertFalse(os.path.exists(path + ".new"))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "secret")
        self.assertEqual(self.told_of("FoundationPlugin", "State"), "ready")

    def test_its_folders(self):
        """The home survives a restart, and the folder for temporary files does not."""
        self.bundle("FoundationPlugin", Name="Foundation")
        home = self.see("FoundationPlugin", "home")
        self.assertEqual(home, f"{self.system.environment['HOME']}/.local/state/opencallkit/plugins/FoundationPlugin")
        for folder in self.see("FoundationPlugin", "folders").split():
            self.assertNotEqual(os.path.commonpath([folder, self.system.environment["HOME"]]), "/", folder)
        self.assertEqual(self.see("FoundationPlugin", "defaults"), "1")
        self.assertIn("Plugin.ini", self.see("FoundationPlugin", "resources").split())
        temporary = self.see("FoundationPlugin", "folders").split()[-1]
        self.assertTrue(os.path.exists(f"{temporary}/note.txt"))
        pid = self.property(self.plugin("FoundationPlugin"), "Pid", PLUGIN)
        self.system.call(self.plugin("FoundationPlugin"), PLUGIN, "Restart").result()
        wait_until(lambda: self.told_of("FoundationPlugin", "Pid") not in (0, pid), "it is not restarted")
        self.wait_ready("FoundationPlugin")
        self.assertFalse(os.path.exists(f"{temporary}/note.txt"))
        self.assertEqual(self.see("FoundationPlugin", "defaults"), "2")


class Permitted(CheckingTest):
    def serve(self):
        """A web server on this machine. Returns its address."""
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", "5")
                self.end_headers()
                self.wfile.write(b"hello")

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}/"

    def test_the_network(self):
        url = self.serve()
        self.bundle("FoundationPlugin", Name="Foundation", Needs="network;")
        self.assertEqual(self.see("FoundationPlugin", "download", url=url), "hello")
        self.assertEqual(self.see("FoundationPlugin", "download", url=url.replace("127.0.0.1", "localhost")), "hello")
        self.assertEqual(self.see("FoundationPlugin", "permissions"), "network")
        self.assertAllIsWell("FoundationPlugin")

    def test_no_network(self):
        url = self.serve()
        self.bundle("FoundationPlugin", Name="Foundation")
        self.assertIn("URLError", self.wrong("FoundationPlugin", "download", url=url))

    def test_files(self):
        """They can be read, and neither changed nor left."""
        music = os.path.join(self.system.environment["HOME"], "Music")
        os.mkdir(music)
        with open(f"{music}/song", "w", encoding="utf-8") as file:
            file.write("la la")
        os.symlink(self.secret(), f"{music}/way-out")
        self.bundle("FoundationPlugin", Name="Foundation", MayUse="files:~/Music;")
        self.assertEqual(self.see("FoundationPlugin", "read", path=f"{music}/song"), "5 bytes")
        self.assertNotEqual(self.wrong("FoundationPlugin", "read", path=f"{music}/way-out"), "")
        self.assertNotEqual(self.wrong("FoundationPlugin", "write", path=f"{music}/song"), "")
        self.assertNotEqual(self.wrong("FoundationPlugin", "write", path=f"{music}/new"), "")
        self.assertEqual(sorted(os.listdir(music)), ["song", "way-out"])


class Dispatch(CheckingTest):
    def test_all_works(self):
        self.place("DispatchPlugin")
        self.wait_ready("DispatchPlugin")
        self.assertEqual(self.property(self.plugin("DispatchPlugin"), "Sandbox", PLUGIN), "full")
        for _ in range(3):
            self.assertAllIsWell("DispatchPlugin")


class Certified(PluginTest):
    def test_both(self):
        for name in ("FoundationPlugin", "DispatchPlugin"):
            with self.subTest(plugin=name):
                run = self.system.run(
                    CALLCTL, "certify", f"{BUILD}/lib{name}.so", "--json", "--calls", "100", "--patience", "60000")
                wrong = [point for point in json.loads(run.text)["points"]
                         if point["result"] not in ("passed", "not-applicable")]
                self.assertEqual((run.status, wrong), (0, []), run.errors)
