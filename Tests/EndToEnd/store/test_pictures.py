"""A contact's picture is the caller's image, if it is a picture and not too large."""

import base64
import os

from store.contacts import ContactsTest
from support.pictures import picture
from support.system import IDENTITY
from support.waiting import wait_until


class Pictures(ContactsTest):
    def test_a_contacts_picture_is_the_callers_image(self):
        with open(self.write("file.png", ""), "wb") as file:
            file.write(picture(2))
        cards = {
            "+46701740601": (picture(1), "PHOTO;ENCODING=b;TYPE=PNG:" + base64.b64encode(picture(1)).decode()),
            "+46701740602": (picture(2), f"PHOTO;VALUE=uri:file://{self.phone}/file.png"),
            "+46701740603": (picture(3), "PHOTO;ENCODING=BASE64;PNG:" + base64.b64encode(picture(3)).decode() + "\n"),
            "+46701740604": (picture(4), "PHOTO:data:image/png;base64," + base64.b64encode(picture(4)).decode()),
            # Not a picture, too large, too many pixels, not a file, and nothing.
            "+46701740611": (None, "PHOTO;ENCODING=b;TYPE=PNG:" + base64.b64encode(b"GIF89a" * 100).decode()),
            "+46701740612": (None, "PHOTO;ENCODING=b;TYPE=PNG:" + base64.b64encode(picture(1, 1 << 20)).decode()),
            "+46701740613": (None, "PHOTO;ENCODING=b;TYPE=PNG:" + base64.b64encode(picture(1, side=5000)).decode()),
            "+46701740614": (None, "PHOTO;VALUE=uri:file:///dev/zero"),
            "+46701740615": (None, "PHOTO;VALUE=uri:https://example.org/anna.png"),
            "+46701740616": (None, ""),
        }
        for number, (_, photo) in cards.items():
            version = 4.0 if ":data:" in photo else 2.1 if "BASE64" in photo else 3.0
            self.write(f"{number}.vcf",
                       f"BEGIN:VCARD\nVERSION:{version}\nUID:{number}\nFN:P {number}\nTEL:{number}\n{photo}\nEND:VCARD\n")
        self.wait_contacts(len(cards))
        folder = f"{self.system.folder.name}/opencallkit/pictures"
        for number, (expected, photo) in cards.items():
            with self.subTest(photo[:40]):
                call = self.ring(number).result()
                image = str(self.property(call, "Image", IDENTITY))
                self.assertEqual(str(self.describe(number).get("image", "")), image)
                self.provider.remote_end(call).result()
                if expected is None:
                    self.assertEqual(image, "")
                    continue
                self.assertEqual(os.path.dirname(image), folder)
                with open(image, "rb") as file:
                    self.assertEqual(file.read(), expected)
        self.assertEqual(len(os.listdir(folder)), 4)
        self.assertEqual(os.stat(folder).st_mode & 0o77, 0)
        own = self.ring("+46701740601", image="/usr/share/own.png").result()
        self.assertEqual(self.property(own, "Image", IDENTITY), "/usr/share/own.png")
        os.unlink(f"{self.phone}/+46701740601.vcf")
        self.write("+46701740602.vcf", "BEGIN:VCARD\nVERSION:3.0\nUID:b\nFN:B\nTEL:+46701740602\nEND:VCARD\n")
        self.wait_contacts(len(cards) - 1)
        wait_until(lambda: len(os.listdir(folder)) == 2, lambda: f"{os.listdir(folder)}")
