"""qdbus, a client of the bus in Qt."""

from support.case import SystemTest
from support.provider import Provider
from support.system import CALL, NAME, ROOT, SYSTEM


class QDBus(SystemTest):
    """A tool that cannot write an a{sv} starts and answers calls."""

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system, "Python")

    def test_qdbus(self):
        def qdbus(*words):
            output = self.system.run("qdbus", "--literal", NAME, *words, QT_SELECT="5")
            self.assertEqual((output.status, output.errors), (0, ""))
            return output.text.strip()
        call = qdbus(ROOT, f"{SYSTEM}.StartCall", "generic:somebody").removeprefix("[ObjectPath: ").removesuffix("]")
        self.wait_state(call, "active")
        ringing = self.provider.incoming()
        qdbus(ringing, f"{CALL}.Answer")
        self.assertState(ringing, "active")
        self.assertIn("held", qdbus(call, f"{CALL}.State"))
