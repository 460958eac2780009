"""Tools of others, each of which must do with the bus alone: gdbus, dbus-send, busctl."""



from support.case import SystemTest
from support.provider import Provider
from support.system import AUDIO, BUILD, CALL, IDENTITY, NAME, PLUGIN, ROOT, SYSTEM

CALLCTL = f"{BUILD}/callctl"
DONE, REFUSED, USAGE, UNKNOWN, UNREACHABLE = 0, 1, 64, 66, 69


class Tools(SystemTest):
    with_plugins = True

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system, "Python")

    def gdbus(self, verb, path, *words):
        return self.system.run("gdbus", verb, "--session", "--dest", NAME, "--object-path", path, *words)

    def busctl(self, *words):
        return self.system.run("busctl", "--user", "--no-pager", *words)


class GDBus(Tools):
    def test_introspect(self):
        output = self.gdbus("introspect", ROOT)
        self.assertEqual(output.status, 0, output.errors)
        for word in (f"interface {SYSTEM}", "RequestTransaction", "CallEnded", "node providers", "DoNotDisturb"):
            self.assertIn(word, output.text)

    def test_introspect_recursively(self):
        call = self.provider.incoming()
        output = self.gdbus("introspect", "/", "--recurse")
        self.assertEqual(output.status, 0, output.errors)
        self.assertIn(f"interface {CALL}", output.text)
        self.assertIn(call.rsplit("/", 1)[1], output.text)

    def test_a_whole_call(self):
        output = self.gdbus("call", ROOT, "--method", f"{SYSTEM}.StartCall", "generic:somebody")
        self.assertEqual(output.status, 0, output.errors)
        call = output.text.split("'")[1]
        self.wait_state(call, "active")
        output = self.gdbus("call", call, "--method", f"{CALL}.SetHeld", "true")
        self.assertEqual((output.status, output.text.strip()), (0, "()"), output.errors)
        self.assertState(call, "held")
        output = self.gdbus("call", call, "--method", "org.freedesktop.DBus.Properties.Get", IDENTITY, "Handle")
        self.assertIn("somebody", output.text)
        self.assertEqual(self.gdbus("call", call, "--method", f"{CALL}.End").status, 0)
        self.assertEnded(call, "local-ended", "user")

    def test_a_refusal_has_its_name(self):
        output = self.gdbus("call", ROOT, "--method", f"{SYSTEM}.StartCallWith", "generic:a", "{'conflict': <'x'>}")
        self.assertNotEqual(output.status, 0)
        self.assertIn("org.opencallkit.Error.InvalidArguments", output.errors)

    def test_a_transaction(self):
        call = self.provider.incoming()
        output = self.gdbus("call", ROOT, "--method", f"{SYSTEM}.RequestTransaction",
                            f"[('answer', {{'call': <objectpath '{call}'>}})]", "{}")
        self.assertEqual(output.status, 0, output.errors)
        self.assertIn(call, output.text)
        self.assertState(call, "active")


class PlainMethods(Tools):
    """Tools that cannot write an a{sv} start and answer calls."""

    def test_dbus_send(self):
        def send(path, method, *arguments):
            output = self.system.run("dbus-send", "--session", "--print-reply=literal", f"--dest={NAME}", path, method, *arguments)
            self.assertEqual((output.status, output.errors), (0, ""))
            return output.text.strip()
        call = send(ROOT, f"{SYSTEM}.StartCall", "string:generic:somebody")
        self.wait_state(call, "active")
        ringing = self.provider.incoming()
        send(ringing, f"{CALL}.Answer")
        self.assertState(ringing, "active")
        self.assertState(call, "held")


class BusCtl(Tools):
    def test_tree(self):
        call = self.provider.incoming()
        output = self.busctl("tree", NAME)
        self.assertEqual(output.status, 0, output.errors)
        for path in (ROOT, AUDIO, call, self.provider.path, f"{ROOT}/providers/Hotline", f"{ROOT}/plugins/MonkeyCall"):
            self.assertIn(f"{path}\n", output.text)

    def test_introspect_shows_values(self):
        call = self.provider.incoming()
        output = self.busctl("introspect", NAME, call)
        self.assertEqual(output.status, 0, output.errors)
        row = next(line for line in output.text.splitlines() if line.startswith(".State"))
        self.assertIn('"ringing"', row)

    def test_get_property(self):
        call = self.provider.incoming()
        self.assertEqual(self.busctl("get-property", NAME, call, CALL, "State").text, 's "ringing"\n')
        self.assertEqual(self.busctl("get-property", NAME, call, IDENTITY, "Handle").text,
                         '(ss) "generic" "somebody"\n')
        self.assertEqual(self.busctl("get-property", NAME, ROOT, SYSTEM, "ActiveCall").text, 'o "/"\n')
        pid = self.busctl("get-property", NAME, f"{ROOT}/plugins/Hotline", PLUGIN, "Pid").text
        self.assertEqual(pid, f"u {self.system.get(f'{ROOT}/plugins/Hotline', PLUGIN, 'Pid')}\n")

    def test_set_property(self):
        output = self.busctl("set-property", NAME, ROOT, SYSTEM, "DoNotDisturb", "b", "true")
        self.assertEqual(output.status, 0, output.errors)
        self.assertTrue(self.property(ROOT, "DoNotDisturb", SYSTEM))
        output = self.busctl("set-property", NAME, ROOT, SYSTEM, "Version", "s", "9")
        self.assertNotEqual(output.status, 0)

    def test_call(self):
        call = self.provider.incoming()
        self.assertEqual(self.busctl("call", NAME, call, CALL, "Answer").status, 0)
        self.assertState(call, "active")
        output = self.busctl("call", NAME, call, CALL, "PlayDTMF", "s", "nonsense")
        self.assertNotEqual(output.status, 0)
        self.assertIn("digits", output.errors)

    def test_status(self):
        output = self.busctl("status", NAME)
        self.assertEqual(output.status, 0, output.errors)
        self.assertIn(f"PID={self.pid}", output.text)


