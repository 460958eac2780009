"""The set-up of most tests: two scripted providers, and calls in common states."""

import dbus

from support.case import SystemTest
from support.provider import Provider


class TwoProviders(SystemTest):
    """Alpha takes generic handles, Beta e-mail addresses; both fulfil their actions unless a test says otherwise."""

    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, "Alpha")
        self.beta = Provider(
            self.system, "Beta", supported_handle_types=dbus.Array(["email-address"], signature="s"))

    def outgoing(self, provider, **options):
        """A new call that is connected if its provider connects by itself."""
        call = self.start_call("generic:somebody", provider=dbus.ObjectPath(provider.path), **options).result()
        self.wait_state(call, "active" if provider.connects else "started")
        provider.forget()
        return call

    def assertUntouched(self, provider):
        """Asserts that the provider got no action since its record began."""
        provider.sync()
        self.assertEqual(provider.kinds(), [])

    def ring_while_active(self, **update):
        """A of Alpha active, B of Beta ringing."""
        a = self.alpha.active(**update)
        b = self.beta.incoming()
        self.beta.forget()
        return a, b

    def held_and_active(self):
        """A of Alpha held by the arbiter for B of Beta, which is active."""
        a, b = self.ring_while_active()
        self.answer(b).result()
        self.wait_state(b, "active")
        self.assertEqual([self.property(a, name) for name in ("State", "HeldBy", "HeldFor")], ["held", "arbiter", b])
        self.alpha.forget()
        self.beta.forget()
        return a, b
