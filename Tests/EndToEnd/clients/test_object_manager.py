"""GLib's object manager client, in GJS, follows calls that come after it has connected, and reads who is calling."""

import subprocess

from gi.repository import GLib

from support.case import SystemTest
from support.provider import Provider
from support.system import CALL, IDENTITY, NAME, ROOT
from support.waiting import exited, wait_until

SCRIPT = f"""
const {{Gio, GLib}} = imports.gi;
const say = (...words) => print(words.join(' '));
const manager = Gio.DBusObjectManagerClient.new_for_bus_sync(
    Gio.BusType.SESSION, Gio.DBusObjectManagerClientFlags.NONE, '{NAME}', '{ROOT}', null, null);
manager.connect('object-added', (_, object) => {{
    const path = object.get_object_path();
    const call = manager.get_interface(path, '{CALL}');
    const identity = manager.get_interface(path, '{IDENTITY}');
    if (call === null) return;
    say('added', path, call.get_cached_property('State').unpack(), identity !== null,
        identity.get_cached_property_names() === null || identity.get_cached_property_names().length === 0);
    const [name] = Gio.DBus.session.call_sync(
        '{NAME}', path, 'org.freedesktop.DBus.Properties', 'Get',
        new GLib.Variant('(ss)', ['{IDENTITY}', 'CallerName']), null, 0, -1, null).deepUnpack();
    say('name', name.unpack());
}});
manager.connect('interface-proxy-properties-changed', (_, object, proxy, changed, invalidated) => {{
    if (proxy.get_interface_name() === '{IDENTITY}')
        say('changed', Object.keys(changed.deepUnpack()).length, invalidated.join(','));
}});
manager.connect('object-removed', (_, object) => say('removed', object.get_object_path()));
say('connected', manager.get_objects().length > 0);
new GLib.MainLoop(null, false).run();
"""


class ObjectManagerClient(SystemTest):
    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)
        self.text = ""
        self.process = subprocess.Popen(["gjs", "-c", SCRIPT], env=self.system.environment, stdout=subprocess.PIPE)
        self.source = GLib.io_add_watch(
            self.process.stdout.fileno(), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, self.read)
        self.addCleanup(self.close)
        self.wait_said("connected true")

    def read(self, _, condition):
        chunk = self.process.stdout.raw.read(65536) if condition & GLib.IOCondition.IN else b""
        self.text += chunk.decode()
        return bool(chunk)

    def close(self):
        GLib.source_remove(self.source)
        self.process.terminate()
        exited(self.process)
        self.process.stdout.close()

    def wait_said(self, line):
        wait_until(lambda: line in self.text.splitlines(), lambda: f"gjs did not say {line!r}: {self.text}")

    def test_a_call_that_comes_later(self):
        call = self.provider.incoming(localized_caller_name="Ada")
        self.wait_said(f"added {call} ringing true true")
        self.wait_said("name Ada")
        self.provider.update(call, localized_caller_name="Eve").result()
        self.wait_said("changed 0 CallerName")
        self.provider.remote_end(call).result()
        self.wait_said(f"removed {call}")
