"""The store and the reader of contacts are in sandboxes while all that they do goes on; what the log says of them."""

import os
import re
import unittest

from support.directories import DirectoryTest
from support.pictures import picture
from support.system import DIRECTORY, DIRECTORY1
from support.waiting import wait_until

CARD = "BEGIN:VCARD\nVERSION:3.0\nUID:bo\nFN:Bo Ek\nTEL:+46701740606\n{more}END:VCARD\n"


class Confined(DirectoryTest):
    arguments = ("--region", "SE", "--log-level", "info")

    def names(self):
        """The names of the contact, with and without a picture."""
        return self.system.call(DIRECTORY, DIRECTORY1, "Identify", "s", "+46701740606").result()

    def write_card(self, more=""):
        folder = f"{self.system.folder.name}/data/kpeoplevcard"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/bo.vcf.new", "w", encoding="utf-8") as file:
            file.write(CARD.format(more=more))
        os.rename(f"{folder}/bo.vcf.new", f"{folder}/bo.vcf")

    def wait_name(self):
        wait_until(lambda: self.names().get("name") == "Bo Ek", "the contact is not read", every=0.05)

    def levels(self, who):
        """The levels of which the log tells, in order."""
        return re.findall(rf"(info|warning) .*{re.escape(who)} is in a sandbox of level (\w+)", self.system.read_log())

    @staticmethod
    def filters(pid):
        """How many filters of system calls a process has."""
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Seccomp_filters:"))


class All(Confined):
    LEVEL, LOGGED = "full", "info"

    @staticmethod
    def writable(pid):
        """The mount points where a process may write."""
        with open(f"/proc/{pid}/mountinfo", encoding="ascii") as file:
            return {line.split()[4] for line in file if "rw" in line.split()[5].split(",")}

    def test_store_reader_and_worker_are_confined(self):
        home = self.system.folder.name
        self.write_card()
        self.bundle()
        self.enable()
        self.wait_name()
        self.assertEqual(self.blocked("1234"), (True, "TutorialDirectory"))
        for who in ("callkit-store", "callkit-contacts", "the worker of directory TutorialDirectory"):
            self.system.wait_logged(f"{who} is in a sandbox")
            self.assertEqual(self.levels(who), [(self.LOGGED, self.LEVEL)], who)
        with open(f"/proc/{self.store()}/status", encoding="ascii") as file:
            status = dict(line.split(":", 1) for line in file)
        self.assertEqual((status["Seccomp"].strip(), status["NoNewPrivs"].strip()), ("2", "1"))
        if self.LEVEL == "full":
            self.assertEqual(self.writable(self.store()), {
                "/proc", f"{home}/data/opencallkit", f"{home}/opencallkit/pictures",
                f"{home}/.local/state/opencallkit/plugins", f"{home}/.cache/opencallkit/plugins"})

    def test_the_worker_of_a_directory_sees_no_other_files(self):
        self.bundle("never")
        self.set_status("enabled").result()
        wait_until(self.workers, "no worker", every=0.05)
        worker, = self.workers()
        # The store's filter, and its own.
        wait_until(lambda: self.filters(worker) == 2, lambda: f"it has {self.filters(worker)} filters", every=0.01)
        if self.LEVEL == "full":
            self.assertFalse(os.path.exists(f"/proc/{worker}/root{self.system.folder.name}/data"))
            self.assertTrue(os.path.exists(f"/proc/{worker}/root{self.folder}/TutorialDirectory.callplugin/conduct"))
        self.set_status("disabled").result()


class WithoutNamespaces(All):
    arguments = (*Confined.arguments, "--sandbox-without", "namespaces")
    LEVEL = "landlock"


@unittest.skipIf(os.geteuid(), "the processes are hidden from other programs there: only root sees how they are confined")
class WithTheFilterAlone(All):
    """What is left is told as a warning; packaged plugins are loaded there."""

    arguments = (*Confined.arguments, "--sandbox-without", "namespaces", "--sandbox-without", "landlock")
    LEVEL, LOGGED = "syscalls", "warning"


class Reader(Confined):
    def test_a_card_names_no_files_elsewhere(self):
        """A picture's address can be any file; a link can lead anywhere."""
        home = self.system.folder.name
        os.makedirs(f"{home}/private")
        with open(f"{home}/private/picture.png", "wb") as file:
            file.write(picture(1))
        with open(f"{home}/private/other.vcf", "w", encoding="utf-8") as file:
            file.write(CARD.format(more="").replace("0606", "0607"))
        self.write_card(f"PHOTO;VALUE=uri:file://{home}/private/picture.png\n")
        folder = f"{home}/data/kpeoplevcard"
        os.symlink(f"{home}/private/other.vcf", f"{folder}/other.vcf")
        self.wait_name()
        self.assertNotIn("image", self.names())
        report = self.system.call(DIRECTORY, DIRECTORY1, "Contacts").result()
        self.assertEqual(report["contacts"], 1)
        self.assertEqual([os.path.basename(path) for path, _ in report["complaints"]], ["other.vcf"])

    def test_pictures_of_evolution_data_server_are_shown(self):
        photos = f"{self.system.folder.name}/data/evolution/addressbook/system/photos"
        os.makedirs(photos)
        with open(f"{photos}/bo.png", "wb") as file:
            file.write(picture(1))
        self.write_card(f"PHOTO;VALUE=uri:file://{photos}/bo.png\n")
        self.wait_name()
        with open(str(self.names()["image"]), "rb") as file:
            self.assertEqual(file.read(), picture(1))

    def test_every_charset_is_read(self):
        """What converts them is the system's, and visible."""
        names = {"ISO-8859-1": "Åsa Ström", "windows-1252": "Zoë €", "Shift_JIS": "山田太郎", "KOI8-R": "Иван",
                 "Big5": "王小明"}
        folder = f"{self.system.folder.name}/data/kpeoplevcard"
        os.makedirs(folder)
        with open(f"{folder}/all.new", "w", encoding="ascii") as file:
            for number, (charset, name) in enumerate(names.items()):
                quoted = "".join(f"={byte:02X}" for byte in name.encode(charset))
                file.write(f"BEGIN:VCARD\nVERSION:2.1\nN;CHARSET={charset};ENCODING=QUOTED-PRINTABLE:{quoted}\n"
                           f"TEL:30{number}\nEND:VCARD\n")
        os.rename(f"{folder}/all.new", f"{folder}/all.vcf")

        def read():
            return [self.system.call(DIRECTORY, DIRECTORY1, "Identify", "s", f"30{number}").result().get("name")
                    for number in range(len(names))]
        wait_until(lambda: read() == list(names.values()), lambda: f"{read()}", every=0.05)


class Moved(Confined):
    def test_a_folder_that_is_replaced_gets_another_store(self):
        store = self.store()
        folder = f"{self.system.folder.name}/data/opencallkit"
        os.rename(folder, f"{folder}.old")
        self.system.call(DIRECTORY, "org.opencallkit.Rules1", "Block", "s", "1234").wait()
        wait_until(lambda: self.store() != store, "the old store stays", every=0.05)
        self.ask("Block", "s", "1234").result()
        self.assertTrue(os.path.exists(f"{folder}/directory/rules"))
        self.assertIn("to be started again: its folder was replaced", self.system.read_log())
