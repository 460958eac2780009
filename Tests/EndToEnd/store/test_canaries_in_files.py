"""A number and a name in every file that others can write, and in their names: nobody else reads them, in signals, the log,
names of other files or the list of processes."""

import os
import shutil

from access.app import SandboxedApp
from daemon.program import leave
from plugins.consent import AskingTest
from store.contacts import ContactsTest
from support.canaries import MARK, NAME, NUMBER, CanaryTest
from support.directories import DirectoryTest, wait_asking
from support.store import StoreTest
from support.system import EXTENSION1, MANAGER, PLUGINS, ROOT
from support.waiting import wait_until

CARD = f"""BEGIN:VCARD
VERSION:3.0
UID:{MARK}
N:{NAME};;;;
FN:{NAME}
TEL:{NUMBER}
TEL;TYPE={MARK}:{NAME}
EMAIL:{MARK}@example.org
IMPP:sip:{MARK}@example.org
X-SIP:{NUMBER}@example.org
X-{MARK};{MARK}={NAME}:{NUMBER}
{MARK}:{NAME}
{NAME} {NUMBER}
NOTE;ENCODING={MARK}:{NAME}
PHOTO;ENCODING=b;TYPE={MARK}:{MARK}
AGENT:BEGIN:VCARD\\nFN:{NAME}\\nTEL:{NUMBER}\\nEND:VCARD
END:VCARD
"""


class FilesTest(CanaryTest):
    def look(self):
        """An app without any permission reads all that there is for it."""
        app = SandboxedApp(self.system)
        try:
            client = app.connect()
            self.system.call(ROOT, MANAGER, "GetManagedObjects", connection=client).result()
            self.assertUnread(app.received.decode(errors="replace"), "what an app reads")
        finally:
            app.close()

    @staticmethod
    def put(path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())


class Contacts(FilesTest, ContactsTest):
    placed = ("data/kpeoplevcard",)

    def test_vcards(self):
        place = f"{self.phone}/{MARK}"
        with self.watched():
            self.write(f"{NAME}.vcf", CARD, place)
            self.wait_contacts(1)
            self.assertEqual(self.describe(NUMBER)["name"], NAME)
            for name, text in {
                    "text": f"{NAME} {NUMBER}\n", "cut": CARD[:-30], "lines": f"BEGIN:VCARD\n{NAME}\nEND:{MARK}\nEND:VCARD\n",
                    "version": CARD.replace("3.0", MARK), "charset": f"BEGIN:VCARD\nFN;CHARSET={MARK}:{NAME}\nTEL:{NUMBER}\nEND:VCARD\n",
                    "quoted": f"BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:{NAME}=\n={NUMBER}\nTEL:1\nEND:VCARD\n",
                    "unclosed": f"BEGIN:VCARD\nFN:{NAME}\nAGENT:\nBEGIN:VCARD\nTEL:{NUMBER}\n"}.items():
                self.write(f"{name} of {NAME} {NUMBER}.vcf", text, place)
            for name, target in (("dangling", NUMBER), ("zero", "/dev/zero"), ("loop", f"loop of {MARK}.vcf")):
                os.symlink(target, f"{place}/{name} of {MARK}.vcf")
            os.mkfifo(f"{place}/{NUMBER}.vcf")
            os.mkdir(f"{place}/folder of {MARK}.vcf")
            self.wait_complaint(f"text of {NAME} {NUMBER}.vcf", "no vCard")
            self.wait_complaint(f"dangling of {MARK}.vcf", "")
            wait_until(lambda: not self.report()["loading"], "reading does not end")
            self.assertGreater(len(self.complaints()), 4)
            call = self.ring(NUMBER).result()
            self.assertEqual(self.identity(call), (NAME, "contacts", MARK))
            self.look()
            self.provider.remote_end(call).result()
            self.wait_row(call, open=False, name=NAME)
            os.unlink(f"{place}/{NAME}.vcf")
            self.write(f"{MARK}.vcf", CARD, place)
            self.look()
        self.assertIn("files or folders of contacts", self.system.read_log())


class Lists(FilesTest, DirectoryTest):
    placed = ("config/opencallkit/lists",)

    def test_lists(self):
        lists = f"{self.system.folder.name}/config/opencallkit/lists"
        os.makedirs(lists)
        shutil.copytree(f"{PLUGINS}/ListDirectory.callplugin", f"{self.folder}/new")
        os.rename(f"{self.folder}/new", f"{self.folder}/ListDirectory.callplugin")
        self.wait_extension("ListDirectory")
        with self.watched():
            self.put(f"{lists}/{MARK}.txt", f"{NUMBER} # {NAME}\n# {NAME}\n")
            self.put(f"{lists}/{NAME}.csv", f"number;label\n{NUMBER};{NAME}\n")
            self.enable("ListDirectory")
            self.assertEqual(str(self.report("ListDirectory")["message"]), "")
            self.assertEqual(self.blocked(NUMBER), (True, "ListDirectory"))
            self.assertEqual(self.identified(NUMBER), (NAME, "ListDirectory"))
            for name, text in (
                    ("lines.txt", f"{NAME} {NUMBER}\n"), ("rows.csv", f"{NAME};{NUMBER}\n{NUMBER};{NAME};{MARK}\n"),
                    ("quotes.csv", f'{NUMBER};"{NAME}\n'), (f"{MARK}-bytes.txt", f"{NUMBER}\n{NAME}\n".encode() + b"\xff\n"),
                    ("long.txt", f"{NUMBER}" * 1000), (f"{MARK}.csv", f"{MARK}:{NAME}\n")):
                self.put(f"{lists}/{name}", text)
                pending = self.reload(name="ListDirectory").wait()
                if pending.error is not None:
                    os.unlink(f"{lists}/{name}")
            self.put(f"{lists}/last.txt", f"{NAME} {NUMBER}\n")
            self.reload(name="ListDirectory").result()
            complaints = list(map(str, self.property(self.plugin("ListDirectory"), "Complaints", EXTENSION1)))
            self.assertTrue(any("/last.txt:1: " in text for text in complaints), complaints)
            self.assertTrue(any(f"/{MARK}.csv:1: " in text for text in complaints), complaints)
            self.assertFalse(any(f"{canary} " in text for text in complaints for canary in (NAME, NUMBER)), complaints)
            os.symlink(NUMBER, f"{lists}/{NAME}.txt")
            self.reload(name="ListDirectory").wait()
            self.look()
        self.assertIn("ListDirectory", self.system.read_log())


class Bundles(FilesTest, AskingTest):
    def test_plugin_files(self):
        """What a plugin calls itself, what it asks for and why is for everybody: that is left out."""
        with self.watched():
            manifests = {
                "Keys": f"[Plugin]\nName=Phone\n{MARK}={NAME}\n{NAME}={NUMBER}\n{NUMBER}\n{NAME} {NUMBER}\n",
                "Groups": f"[Plugin]\nName=Phone\n[{NAME}]\n{MARK}={NUMBER}\n[{NUMBER}\n[X-{MARK}]\n",
                "Reasons": f"[Plugin]\nName=Phone\n[Reasons]\n{MARK}={NAME}\nfiles:{NUMBER}={NAME}\n",
                "Lines": f"{NAME}\n{NUMBER}={MARK}\n", "Bytes": f"[Plugin]\n{NAME}=".encode() + b"\xff\n",
                "Twice": f"[Plugin]\nName=Phone\nName=Phone\n[Plugin]\nComment[{MARK}]={NAME}\nName[{NUMBER}]={NAME}\n"}
            for name, manifest in manifests.items():
                self.bundle(manifest, name)
            for name in manifests:
                wait_until(lambda name=name: self.told_of(name, "State") in ("ready", "incompatible", "needs-consent", "starting"),
                           lambda name=name: f"{name}: {self.told_of(name, 'State')}: {self.told_of(name, 'Error')}")
            schema = f"[zoo]\nType=string\n{MARK}={NAME}\n[{NAME}]\nType={NUMBER}\n{NUMBER}\n[pin]\nType={NAME}\nDefault={NUMBER}\n"
            for name, text in (("Schema", schema), ("Rows", f"{NAME} {NUMBER}\n"), ("Group", f"[{MARK}]\nType=number\nDefault={NUMBER}\n")):
                path = self.bundle(None, f"Aside{name}", f"{self.system.folder.name}/aside")
                os.rename(f"{path}/Aside{name}.so", f"{path}/{name}.so")
                self.put(f"{path}/accounts.ini", text)
                os.rename(path, f"{self.own}/{name}.callplugin")
                wait_until(lambda name=name: self.told_of(name, "State"), f"{name} is not found")
            self.look()


class Settings(FilesTest, StoreTest):
    """Lines of settings that are damaged are told of, and not quoted."""

    arguments = ("--plugin-path", PLUGINS)
    config = ("access", "plugins", "permissions", "do-not-disturb", "default-providers", "emergency-providers", "accounts",
              "refusals", "desktop.conf")
    lines = (f"{NAME} {NUMBER}\n", f"{NUMBER}={NAME}\n", f"{MARK}\n", f"block {NUMBER} {NAME}\n", f"allow {NAME}\n", f"grant {MARK} {NAME}\n",
             f"[{NAME}]\n", f"phone-number {NAME} {NUMBER}\n", f"{{\"{NAME}\": \"{NUMBER}\"}}\n", f"do-not-disturb on={NUMBER}\n",
             f"disabled {NAME} {NUMBER}\n", f"'{NAME}\n")

    def test_bad_lines(self):
        self.wait_store()
        home = self.system.folder.name
        leave(self.system)
        self.system.forget_connections()
        text = "".join(self.lines)
        for name in self.config:
            self.put(f"{home}/config/opencallkit/{name}", text)
        for name in ("rules", "ListDirectory.directory"):
            self.put(f"{home}/data/opencallkit/directory/{name}", text)
        self.put(f"{home}/data/opencallkit/favorites", text)
        with self.watched():
            self.system.start_daemon()
            self.pid = self.system.daemon.pid
            self.wait_store()
            wait_asking(lambda: "rules" in self.system.read_log(), "the rules are not told of")
            self.look()
        log = self.system.read_log()
        for name in ("access", "permissions", "do-not-disturb", "accounts"):
            self.assertIn(name, log)
