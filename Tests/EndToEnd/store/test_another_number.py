"""Name and number belong together, in every place that shows them."""

import dbus

from support.messages import uuid_of
from support.provider import Provider
from support.store import StoreTest
from support.system import BUILD, DIRECTORY, IDENTITY, RULES1
from support.waiting import wait_until

GUS, HAL, NOBODY = "+15550144007", "+15550144008", "+15550144001"


class AnotherNumber(StoreTest):
    """BelledonneCommunications/linphone-desktop #706, open-voip-alliance/WebphoneLib #36, vialer/vialer-js #178,
    react-native-webrtc/react-native-callkeep PR #60."""

    deadlines = {"look-up": 5000}

    def setUp(self):
        super().setUp()
        self.favorites()
        self.add(GUS, "Gus Example").result()
        self.add(HAL, "Hal Example").result()
        self.alpha = Provider(self.system, "Alpha", supported_handle_types=dbus.Array(["phone-number"]))

    def tell(self, call, number):
        self.alpha.update(call, remote_handle=dbus.Struct(("phone-number" if number else "", number))).result()

    def assertIs_(self, call, number, name, **row):
        def shown():
            return (str(self.property(call, "Handle", IDENTITY)[1]), str(self.property(call, "CallerName", IDENTITY)))
        wait_until(lambda: shown() == (number, name), lambda: f"{shown()} is shown, expected {(number, name)}")
        source = "favorite" if name else "none"
        self.assertEqual(self.property(call, "CallerNameSource", IDENTITY), source)
        text = self.system.run(f"{BUILD}/callctl", "show", uuid_of(call)).text
        for other in {"Gus Example", "Hal Example"} - {name}:
            self.assertNotIn(other, text)
        handle = dbus.Struct(("phone-number" if number else "", number))
        self.wait_row(call, handle=handle, name=name, **row)

    def test_incoming_active_and_outgoing(self):
        ringing = self.alpha.incoming(handle=("phone-number", GUS))
        self.assertIs_(ringing, GUS, "Gus Example")
        self.tell(ringing, HAL)
        self.assertIs_(ringing, HAL, "Hal Example")
        self.answer(ringing).result()
        self.wait_state(ringing, "active")
        self.tell(ringing, NOBODY)
        self.assertIs_(ringing, NOBODY, "")
        self.tell(ringing, GUS)
        self.assertIs_(ringing, GUS, "Gus Example")
        self.tell(ringing, "")
        self.assertIs_(ringing, "", "")
        self.end(ringing).result()
        late = self.alpha.incoming(handle=("", ""))
        self.tell(late, GUS)
        self.assertIs_(late, GUS, "Gus Example")
        self.end(late).result()

    def test_a_number_that_is_blocked_ends_a_ringing_call(self):
        self.system.call(DIRECTORY, RULES1, "Block", "s", HAL).result()
        call = self.alpha.incoming(handle=("", ""))
        self.tell(call, HAL)
        self.assertEnded(call, "declined", "policy")
        row = self.wait_row(call, open=False)
        self.assertEqual((row["reason"], row["filtered"], row["filtered-by"], row["missed"]),
                         ("filtered", "blocked", "user", False))
        self.assertEqual(tuple(map(str, row["handle"])), ("phone-number", HAL))
        self.assertEqual(self.alpha.actions("end", call)[0].details["reason"], "declined")
