"""Where requests go, and with which names and passwords: ports in domains, IPv6, and signs that need care."""

import hashlib
import re

import dbus

from sip.case import SIPTest
from sip.hostile import HostileTest
from sip.stranger import Stranger, sound

QUOTED = r'"((?:[^"\\]|\\.)*)"'


def unquoted(text):
    return re.sub(r"\\(.)", r"\1", text)


class Credentials(HostileTest):
    SIGNS = (
        # user, auth-user, realm, password: what is typed
        ("100%", None, 'a "quoted" realm', "p%a:s\"s\\w'o r`d"),
        ("erin", 'e"r\\i:n@isp.test', "back\\slash", "ünïcødé, ;=<>"),
        ("a%40b", None, "comma, and = sign", "@"),
        ("é x", None, "réalm", " "),
    )

    def challenge(self, realm, heard):
        """A registrar that asks for a digest, and keeps what it gets."""
        quoted = realm.replace("\\", "\\\\").replace('"', '\\"')

        def answer(message):
            given = message.header("authorization")
            if not given:
                self.server.answer(
                    message, 401, f'WWW-Authenticate: Digest  nonce="n\\"1" ,realm="{quoted}",opaque="o\\\\",'
                    'algorithm=MD5, qop="auth-int,auth"')
                return
            heard.append((given, message.target))
            self.server.answer(message, 200, f"Contact: {message.header('contact')}", "Expires: 60")
        return answer

    def check(self, given, target, user, realm, password):
        words = {key.lower(): unquoted(value) for key, value in re.findall(rf"(\w+)={QUOTED}", given)}
        words |= dict(re.findall(r"(nc|qop|algorithm)=([^\",\s]+)", given))
        self.assertEqual((words["username"], words["realm"], words["nonce"], words["opaque"]), (user, realm, 'n"1', "o\\"))

        def digest(*parts):
            return hashlib.md5(":".join(parts).encode(), usedforsecurity=False).hexdigest()
        expected = digest(digest(user, realm, password), words["nonce"], words["nc"], words["cnonce"], "auth",
                          digest("REGISTER", target))
        self.assertEqual(words["response"], expected)

    def test_signs_of_every_kind(self):
        for user, auth_user, realm, password in self.SIGNS:
            with self.subTest(user):
                heard, plain = [], {"100%": "100%", "a%40b": "a@b"}.get(user, user)
                key = {"100%": "100%25", "é x": "%C3%A9%20x"}.get(user, user)
                self.server.registrars[key] = self.challenge(realm, heard)
                account = self.add_account(user, password=password, transport="udp", encryption="off", auth_user=auth_user,
                                           label=f"account {user}")
                self.assertTrue(heard, self.server.registers[-1].headers)
                self.check(*heard[0], auth_user or plain, realm, password)
                self.account_call(account, "Remove").result()


class Ports(SIPTest):
    """A server at a port of its own, and a far side at another one."""

    @classmethod
    def start_server(cls, certificate, **options):
        return cls.keep(Stranger().start())

    # react-native-pjsip #34, baresip-studio #440, jitsi #536, linphone-desktop #462
    def test_a_port_in_the_domain(self):
        for host in ("127.0.0.1", "::1"):
            server, far = self.far_side(Stranger(host)), self.far_side(Stranger(host))
            place = f"{server.place}:{server.port}"
            self.alice = self.add_account("alice", transport="udp", encryption="off", domain=place, proxy=None, server=server)
            provider = dbus.ObjectPath(self.provider(self.alice))
            contact = f"sip:6002@{far.place}:{far.port}"
            for dialed, target in (("6002", f"sip:6002@{server.place}"), (contact, contact)):
                with self.subTest(dialed, host=host):
                    server.mark()
                    far.mark()
                    call = str(self.start_call(dialed, provider=provider).result())
                    invite = server.wait_request("INVITE")
                    self.assertEqual(invite.target, target)
                    server.answer(invite, 200, f"Contact: <{contact}>", tag="far", body=sound(40000))
                    self.assertEqual(far.wait_request("ACK").target, contact)
                    self.wait_state(call, "active")
                    pending = self.hold(call)
                    change = far.wait_request("INVITE")
                    self.assertEqual(change.target, contact)
                    far.answer(change, 200, f"Contact: <{contact}>", body=sound(40000, 2, "a=recvonly\r\n"))
                    pending.result()
                    self.end(call).result()
                    far.wait_request("BYE")
                    self.assertEqual(server.requests("ACK") + server.requests("BYE"), [])
            self.remove_account(self.alice, server)
