"""callkit-store without callkit-contacts, as on a system that does not install it: all but contacts works."""

import os
import shutil
import tempfile

import dbus

from support.provider import Provider
from support.store import StoreTest, children, program
from support.system import BUILD, DIRECTORY, DIRECTORY1, IDENTITY
from support.waiting import wait_until

ANNA, BO = "+46701740605", "+46701740606"
CARD = "BEGIN:VCARD\nVERSION:3.0\nUID:bo\nFN:Bo Ek\nTEL:+46701740606\nEND:VCARD\n"


class AloneTests(StoreTest):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="opencallkit-alone-")
        self.addCleanup(holder.cleanup)
        store = f"{holder.name}/callkit-store"
        shutil.copy(f"{BUILD}/callkit-store", store)
        cards = f"{holder.name}/cards"
        os.mkdir(cards)
        with open(f"{cards}/bo.vcf", "w", encoding="utf-8") as file:
            file.write(CARD)
        self.arguments = ("--region", "SE", "--store", store, "--contacts", cards)
        super().setUp()
        self.alpha = Provider(self.system, supported_handle_types=dbus.Array(["phone-number"]))
        self.favorites()

    def report(self):
        return self.system.call(DIRECTORY, DIRECTORY1, "Contacts").result()

    def test_calls_and_favorites_work_and_what_is_missing_is_told(self):
        self.add(ANNA, "Anna").result()
        report = wait_until(lambda: (lambda report: not report["loading"] and report)(self.report()), "it loads on",
                            every=0.05)
        self.assertEqual(report["contacts"], 0)
        self.assertIn("callkit-contacts", str(report["complaints"]))
        call = self.alpha.incoming(handle=("phone-number", ANNA))
        names = [str(self.property(call, name, IDENTITY)) for name in ("CallerName", "CallerNameSource")]
        self.assertEqual(names, ["Anna", "favorite"])
        self.answer(call).result()
        self.wait_state(call, "active")
        self.end(call).result()
        call = self.alpha.incoming(handle=("phone-number", BO))
        self.assertEqual(self.property(call, "CallerName", IDENTITY), "")
        self.reject(call).result()
        self.assertEqual([row[2] for row in self.favorites()], ["Anna"])
        store = self.store()
        self.assertEqual([program(child) for child in children(store)], [])
        self.assertLessEqual(self.system.read_log().count("contacts"), 1, self.system.read_log())
