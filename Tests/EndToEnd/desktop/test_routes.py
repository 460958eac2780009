"""Where calls are heard: devices that come and go on real sound servers, and `callctl audio` and `callctl desktop`."""

import json
import subprocess

import dbus
import dbus.service

from desktop.audio import AudioTest
from desktop.case import DESKTOP_PATH, ROUTES
from support.sound_servers import PipeWire
from support.system import BUILD
from support.waiting import GIVE_UP, wait_until


class RoutesTest(AudioTest):
    def start_all(self):
        super().start_all()
        wait_until(lambda: self.routes(), "no routes", every=0.05)

    def routes(self):
        return [str(route["id"]) for route in self.system.get(DESKTOP_PATH, ROUTES, "Routes", name="org.opencallkit.Desktop1")]

    def current(self):
        return str(self.system.get(DESKTOP_PATH, ROUTES, "Current", name="org.opencallkit.Desktop1"))

    def wait_current(self, route):
        wait_until(lambda: self.current() == route, lambda: f"{self.current()} is used, not {route}", every=0.05)

    def choose(self, route):
        return self.system.call(DESKTOP_PATH, ROUTES, "Choose", "s", route, name="org.opencallkit.Desktop1")

    def plug(self, name, form):
        """A device that appears. Returns what unplugs it."""
        properties = f"device.form_factor={form} device.description={name.capitalize()}"
        if self.server_class is PipeWire:
            arguments = ["media.class=Audio/Sink"]
        else:
            arguments = ["norewinds=1"]
        module = self.server.pactl("load-module", "module-null-sink", f"sink_name={name}",
                                   f'sink_properties="{properties}"', *arguments).strip()
        wait_until(lambda: name in self.routes(), lambda: f"{name} is no route: {self.routes()}", every=0.05)
        return module

    def unplug(self, module):
        self.server.pactl("unload-module", module)

    def play(self, role):
        """A stream like that of a call, or of a player."""
        stream = self.spawn("paplay", "--raw", "--rate=44100", "--channels=1", "--format=s16le",
                            f"--property=media.role={role}", "/dev/zero")
        index = wait_until(lambda: self.streams().get(role, (None, None))[0], f"no stream {role}", every=0.05)
        return stream, index

    def streams(self):
        """The index of each stream and the name of its sink, by its role."""
        sinks = {line.split("\t")[0]: line.split("\t")[1] for line in self.server.pactl("list", "short", "sinks").splitlines()}
        found = {}
        index = sink = None
        for line in self.server.pactl("list", "sink-inputs").splitlines():
            if line.startswith("Sink Input #"):
                index = line.split("#")[1]
            elif line.strip().startswith("Sink:"):
                sink = sinks.get(line.split(":")[1].strip())
            elif line.strip().startswith("media.role ="):
                found[line.split('"')[1]] = (index, sink)
        return found

    def wait_on(self, role, sink):
        wait_until(lambda: self.streams().get(role, (None, None))[1] == sink,
                   lambda: f"{role} is on {self.streams()}, not {sink}", every=0.05)

    def callctl(self, *arguments, **options):
        return subprocess.run([f"{BUILD}/callctl", *arguments], env={**self.system.environment, "COLUMNS": "80"},
                              capture_output=True, text=True, timeout=GIVE_UP, check=False, **options)


class ChoosingTests(RoutesTest):
    def test_the_streams_of_calls_are_moved_and_others_are_not(self):
        self.start_all()
        self.plug("desk", "speaker")
        self.play("music")
        call = self.call_active()
        self.play("phone")
        self.wait_on("phone", "speaker")
        self.choose("desk").result()
        self.wait_on("phone", "desk")
        self.wait_current("desk")
        self.assertEqual(self.streams()["music"][1], "speaker")
        self.end(call).result()

    def test_a_headset_that_appears_in_a_call_is_used_until_it_goes(self):
        self.start_all()
        self.call_active()
        self.play("phone")
        module = self.plug("headset", "headset")
        self.wait_on("phone", "headset")
        self.unplug(module)
        self.wait_on("phone", "speaker")
        self.wait_current("speaker")

    def test_what_was_chosen_is_used_again_when_it_returns_also_by_the_next_agent(self):
        self.start_all()
        module = self.plug("headset", "headset")
        self.assertEqual(self.current(), "speaker", "nobody has chosen it")
        self.choose("headset").result()
        self.wait_current("headset")
        self.unplug(module)
        self.wait_current("speaker")
        self.agent.terminate()
        self.agent.wait()
        self.start_agent()
        self.wait_registered()
        self.plug("headset", "headset")
        self.wait_current("headset")
        self.call_active()
        self.play("phone")
        self.wait_on("phone", "headset")
        self.system.call(DESKTOP_PATH, ROUTES, "Forget", name="org.opencallkit.Desktop1").result()
        self.wait_current("speaker")

    def test_a_choice_in_the_call_is_not_overruled_by_a_headset(self):
        self.start_all()
        self.call_active()
        self.play("phone")
        self.choose("speaker").result()
        self.plug("headset", "headset")
        self.wait_current("speaker")
        self.wait_on("phone", "speaker")

    def test_wrong_routes(self):
        self.start_all()
        pending = self.choose("nowhere").wait()
        self.assertEqual(pending.error_name, "org.freedesktop.DBus.Error.InvalidArgs")
        self.assertIn("speaker", pending.error_text)


class ChoosingOnPipeWireTests(RoutesTest):
    server_class = PipeWire

    def test_the_streams_of_calls_are_moved(self):
        self.start_all()
        self.plug("desk", "speaker")
        self.call_active()
        self.play("phone")
        self.choose("desk").result()
        self.wait_on("phone", "desk")


class CallAudio(dbus.service.Object):
    """As callaudiod, which needs a sound card for calls."""

    NAME = "org.mobian_project.CallAudio"

    def __init__(self, connection):
        self.name = dbus.service.BusName(self.NAME, connection)
        super().__init__(connection, "/org/mobian_project/CallAudio")
        self.told = []

    @dbus.service.method(NAME, in_signature="u", out_signature="b")
    def SelectMode(self, mode):
        self.told.append(("mode", int(mode)))
        return False

    @dbus.service.method(NAME, in_signature="b", out_signature="b")
    def EnableSpeaker(self, on):
        self.told.append(("speaker", bool(on)))
        return True


class PhoneTests(RoutesTest):
    def test_callaudiod_is_told(self):
        phone = CallAudio(self.system.connect())
        self.start_all()
        self.plug("loud", "speaker")
        call = self.call_active()
        wait_until(lambda: phone.told == [("mode", 1)], lambda: f"{phone.told}")
        self.choose("loud").result()
        wait_until(lambda: phone.told == [("mode", 1), ("speaker", True)], lambda: f"{phone.told}")
        self.end(call).result()
        wait_until(lambda: phone.told[-1] == ("mode", 0), lambda: f"{phone.told}")


class CallctlTests(RoutesTest):
    def test_audio(self):
        self.start_all()
        self.plug("headset", "headset")
        listed = self.callctl("audio")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertRegex(listed.stdout, r"\* +speaker")
        self.assertRegex(listed.stdout, r"headset +headset +Headset +yes")
        self.assertTrue(all(len(line) <= 80 for line in listed.stdout.splitlines()))
        self.assertEqual(self.callctl("audio", "use", "heads").stdout, "calls use Headset\n")
        self.wait_current("headset")
        rows = json.loads(self.callctl("audio", "--json").stdout)
        self.assertEqual([row["id"] for row in rows if row["current"]], ["headset"])
        self.assertEqual(self.callctl("audio", "use", "nowhere").returncode, 66)
        self.assertEqual(self.callctl("audio", "forget").returncode, 0)
        self.wait_current("speaker")

    def test_desktop(self):
        self.start_all()
        shown = self.callctl("desktop")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex(shown.stdout, r"ringing +yes +pulseaudio")
        self.assertTrue(all(len(line) <= 80 for line in shown.stdout.splitlines()), shown.stdout)
        self.assertEqual(self.callctl("desktop", "volume", "40").stdout, "40\n")
        self.assertEqual(self.callctl("desktop", "volume").stdout, "40\n")
        name = self.alpha.path.rsplit("/", 1)[1]
        self.assertEqual(self.callctl("desktop", "ringtone", name, self.tone).returncode, 0)
        self.assertEqual(self.callctl("desktop", "test-ring", name).returncode, 0)
        self.recording.wait_loud("no test")
        self.assertEqual(self.callctl("desktop", "stop").returncode, 0)
        self.recording.wait_silent()
        self.assertEqual(self.callctl("desktop", "volume", "101").returncode, 64)
        self.assertEqual(self.callctl("desktop", "ringtone", name, "tone.wav").returncode, 64)

    def test_without_an_agent(self):
        failed = self.callctl("desktop")
        self.assertIn("callkit-desktop is not running", failed.stderr)
        self.assertEqual(failed.returncode, 69)
