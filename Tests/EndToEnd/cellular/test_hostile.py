"""A service that calls itself ModemManager, or oFono, and answers with anything: the plugin Cellular does not mind."""


import dbus
import dbus.lowlevel

from cellular.case import CellularTest
from cellular.modems import MM, MM_ROOT, MODEM, OFONO, VOICE
from support.system import PROPERTIES
from support.waiting import let_pass, wait_until

MODEM_PATH = f"{MM_ROOT}/Modem/0"


def text(size):
    return dbus.String("x" * size)


class Impostor:
    """Owns a name of the service bus. `answers` has what methods answer, by name; methods that are not there never do."""

    def __init__(self, address, name, answers):
        self.answers = answers
        self.asked = []
        self.bus = dbus.bus.BusConnection(address)
        self.bus.set_exit_on_disconnect(False)
        self.bus.add_message_filter(self.take)
        self.bus.request_name(name)

    def take(self, _, message):
        if message.get_type() != dbus.lowlevel.MESSAGE_TYPE_METHOD_CALL:
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        member = message.get_member()
        self.asked.append(member)
        if member in self.answers:
            answer = self.answers[member]
            reply = dbus.lowlevel.MethodReturnMessage(message)
            signature, values = answer(message) if callable(answer) else answer
            reply.append(signature=signature, *values)
            self.bus.send_message(reply)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def tell(self, path, interface, member, signature, *values):
        signal = dbus.lowlevel.SignalMessage(path, interface, member)
        signal.append(signature=signature, *values)
        self.bus.send_message(signal)

    def stop(self):
        self.bus.close()


def managed(count, **properties):
    """An answer of GetManagedObjects with so many modems."""
    modem = {"DeviceIdentifier": "x", "EquipmentIdentifier": "1", "State": dbus.Int32(8), **properties}
    interfaces = {MODEM: modem, VOICE: {"EmergencyOnly": False}}
    objects = {}
    for index in range(count):
        one = {**interfaces, MODEM: {**modem, "EquipmentIdentifier": str(index)}}
        objects[dbus.ObjectPath(f"{MM_ROOT}/Modem/{index}")] = one
    return "a{oa{sa{sv}}}", [dbus.Dictionary(objects, signature="oa{sa{sv}}")]


class Hostile(CellularTest):
    modem_values = None

    def start_service(self):
        pass

    def impostor(self, name=MM, **answers):
        impostor = Impostor(self.services_bus.address, name, answers)
        self.addCleanup(impostor.stop)
        return impostor

    def assertSound(self):
        self.assertEqual(self.system.shown(self.plugin, "State"), "ready")
        self.assertNotIn("signal", self.system.read_log())

    def test_wrong_types(self):
        for answer in (("s", ["x"]), ("a{ss}", [{"a": "b"}]), ("", []), ("i", [7]), ("ao", [[MM_ROOT] * 1000])):
            impostor = self.impostor(GetManagedObjects=answer)
            wait_until(lambda: "GetManagedObjects" in impostor.asked, "nothing was asked")
            impostor.stop()
        self.assertEqual(self.providers(), set())
        self.assertSound()

    def test_wrong_properties(self):
        impostor = self.impostor(GetManagedObjects=managed(
            1, State="eight", Model=dbus.Array([1], signature="i"), Sim=dbus.Int32(3), PowerState="x"))
        wait_until(lambda: self.providers(), "there is no provider")
        for member, signature, values in (
                ("CallAdded", "s", ["/x"]), ("CallAdded", "o", ["/no/call"]), ("CallDeleted", "i", [3]),
                ("StateChanged", "ss", ["a", "b"])):
            impostor.tell(MODEM_PATH, VOICE, member, signature, *values)
        impostor.tell(MODEM_PATH, PROPERTIES, "PropertiesChanged", "sa{sv}as", MODEM,
                      {"State": dbus.String("x"), "Sim": text(100_000)}, [])
        impostor.tell(f"{MM_ROOT}/Call/0", f"{MM}.Call", "StateChanged", "iiu", 99, -99, 4_000_000_000)
        let_pass(0.5)
        self.assertSound()

    def test_more_modems_than_anybody_has(self):
        self.impostor(GetManagedObjects=managed(200))
        wait_until(lambda: len(self.providers()) == 8, lambda: self.providers())
        let_pass(0.5)
        self.assertEqual(len(self.providers()), 8)
        self.assertSound()

    def test_more_calls_than_there_are(self):
        def properties(message):
            interface, = message.get_args_list()
            values = {"State": dbus.Int32(3), "Direction": dbus.Int32(1), "Number": "+15550123"}
            return "a{sv}", [dbus.Dictionary(values if interface.endswith("Call") else {}, signature="sv")]
        calls = dbus.Array([dbus.ObjectPath(f"{MM_ROOT}/Call/{index}") for index in range(10_000)], signature="o")
        impostor = self.impostor(GetManagedObjects=managed(1), ListCalls=("ao", [calls]), GetAll=properties)
        wait_until(lambda: len(self.calls()) == 16, lambda: len(self.calls()))
        for index in range(1_000):
            impostor.tell(MODEM_PATH, VOICE, "CallAdded", "o", f"{MM_ROOT}/Call/{20_000 + index}")
        let_pass(1)
        self.assertLessEqual(len(self.calls()), 16)
        impostor.stop()
        wait_until(lambda: not self.calls(), "calls are left")
        self.assertSound()

    def test_answers_never_come(self):
        impostor = self.impostor()
        wait_until(lambda: "GetManagedObjects" in impostor.asked, "nothing was asked")
        self.assertSound()
        impostor.stop()
        self.impostor(GetManagedObjects=managed(1))
        wait_until(lambda: self.providers(), "there is no provider")

    def test_the_name_passes_from_one_to_another(self):
        first = self.impostor(GetManagedObjects=managed(1))
        wait_until(lambda: self.providers(), "there is no provider")
        for _ in range(10):
            first.stop()
            first = self.impostor(GetManagedObjects=managed(1))
        wait_until(lambda: len(self.providers()) == 1, lambda: self.providers())
        self.assertSound()

    def test_signals_of_strangers_count_for_nothing(self):
        self.impostor(GetManagedObjects=managed(1))
        wait_until(lambda: self.providers(), "there is no provider")
        stranger = Impostor(self.services_bus.address, "org.example.Stranger", {})
        self.addCleanup(stranger.stop)
        stranger.tell(MODEM_PATH, PROPERTIES, "PropertiesChanged", "sa{sv}as", MODEM, {"State": dbus.Int32(-1)}, [])
        let_pass(0.5)
        self.assertEqual(self.system.shown(self.providers().pop(), "Availability"), "online")

    def test_an_ofono_of_wrong_types(self):
        impostor = self.impostor(OFONO, GetModems=(
            "a(oa{sv})", [[("/m", {"Powered": dbus.Int32(1), "Interfaces": "x"})] * 100]), GetCalls=("i", [1]))
        wait_until(lambda: self.providers(), "there is no provider")
        impostor.tell("/m", f"{OFONO}.VoiceCallManager", "CallAdded", "oa{sv}", "/m/1", {"State": dbus.Int32(1)})
        impostor.tell("/m/1", f"{OFONO}.VoiceCall", "PropertyChanged", "sv", "State", dbus.Int32(7))
        impostor.tell("/", f"{OFONO}.Manager", "ModemRemoved", "s", "/m")
        let_pass(0.5)
        self.assertEqual(len(self.providers()), 1)
        self.assertSound()
