"""In the mixer, the phone has the name and the icon that it has elsewhere."""

from desktop.ringing import RingingTest
from support.provider import Provider


class MixerTests(RingingTest):
    def test_what_rings_is_the_phone(self):
        recording = self.start_sound()
        Provider(self.system, ringtone_sound=self.tone).incoming()
        recording.wait_loud("it does not ring")
        listed = self.server.pactl("list", "sink-inputs")
        for line in ('application.name = "Phone"', 'application.icon_name = "org.opencallkit.Phone"',
                     'application.id = "org.opencallkit.Phone"'):
            self.assertIn(line, listed)
