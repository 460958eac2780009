"""Accounts of the plugin SIP register with a real server, and what they refuse."""

import os
import re
import unittest

import dbus

from sip.case import PASSWORDS, SIPTest
from sip.certificates import DOMAIN
from sip.marks import interop
from sip.name_server import Dnsmasq
from sip.server import Kamailio
from support.waiting import wait_until


class Registration(SIPTest):
    @interop("Kamailio", "register", "TLS")
    def test_registers_and_unregisters_over_each_transport(self):
        for transport in ("udp", "tcp", "tls"):
            with self.subTest(transport):
                self.server.mark()
                account = self.add_account("alice", transport=transport)
                requests = self.server.wait_seen(2, method="REGISTER")
                self.assertEqual([bool(request.credentials) for request in requests], [False, True])
                self.assertEqual({request.transport for request in requests}, {transport})
                self.assertStanding(account, "ready", "", "")
                self.remove_account(account)

    def test_a_wrong_password_is_tried_once(self):
        account = self.add_account("alice", "wrong", transport="udp", wait="unauthorized")
        self.assertStanding(account, "failed", "bad-credentials")
        requests = self.server.seen(method="REGISTER")
        self.assertEqual([bool(request.credentials) for request in requests], [False, True], "more than one answer")
        # Another password is tried at once.
        self.set_secret(account, PASSWORDS["alice"].encode(), key="password").result()
        self.wait_available(account, "online")
        self.assertEqual(len([one for one in self.server.seen(method="REGISTER") if one.credentials]), 2)
        self.remove_account(account)

    def test_it_gets_emergency_calls_if_its_settings_say_so(self):
        account = self.add_account("alice", transport="udp")
        provider = self.provider(account)
        options = {"provider": dbus.ObjectPath(provider)}
        self.assertRefused(self.start_call("112", **options), "UnknownProvider")
        self.update(account, emergency=True).result()
        wait_until(lambda: self.system.shown(provider, "EmergencyNumbers") == ["112", "911"], "it declares no numbers")
        self.server.mark()
        self.start_call("112").wait()
        self.server.wait_seen(method="INVITE", user="112")
        self.update(account, emergency=False).result()
        wait_until(lambda: self.system.shown(provider, "EmergencyNumbers") == [], "it still declares numbers")
        self.assertEqual(self.server.seen(method="REGISTER"), [], "it has connected again")
        self.remove_account(account)

    def test_the_contact_stays_the_same(self):
        contacts = set()
        account = self.add_account("alice", transport="udp")
        for _ in range(2):
            contacts.add(re.search(r"sip:([^@>]+)@", self.server.seen(method="REGISTER")[-1].contact)[1])
            self.enable(account, False)
            self.server.wait_unregistered("alice")
            self.server.mark()
            self.enable(account)
            self.wait_available(account, "online")
        self.assertEqual(len(contacts), 1, contacts)
        self.assertIn("+sip.instance", self.server.seen(method="REGISTER")[-1].contact)
        self.remove_account(account)

    def test_several_accounts_of_one_server(self):
        first, second = self.add_account("alice"), self.add_account("work", transport="tcp")
        self.assertNotEqual(self.provider(first), self.provider(second))
        self.remove_account(first)
        self.remove_account(second)

    def test_the_password_is_in_no_log(self):
        account = self.add_account("alice", transport="udp")
        self.remove_account(account)
        self.assertNotIn(PASSWORDS["alice"], self.system.read_log())
        for path, data in self.secret_files().items():
            self.assertNotIn(PASSWORDS["alice"].encode(), data, path)


class Trust(SIPTest):
    """Servers with certificates that must be refused, before any password is sent."""

    def refuse(self, certificate, **settings):
        server = self.start_server(certificate)
        account = self.add_account("alice", server=server, wait=None, **settings)
        self.assertStanding(account, "failed", "certificate")
        self.assertEqual(server.seen(method="REGISTER"), [], "it has sent a request")
        self.remove_account(account)
        server.stop()

    @interop("Kamailio", "TLS")
    def test_the_certificate_of_another_authority(self):
        self.refuse(self.certificates.of_another_authority())

    def test_the_certificate_of_another_host(self):
        self.refuse(self.certificates.wrong_host())

    def test_an_expired_certificate(self):
        self.refuse(self.certificates.expired())

    def test_a_certificate_that_signs_itself(self):
        self.refuse(self.certificates.authority)

    def test_a_server_that_becomes_another_one(self):
        """The server's certificate is checked at each connection."""
        good = self.certificates.good()
        server = self.start_server(good)
        account = self.add_account("alice", server=server)
        server.kill()
        server.certificate = self.certificates.of_another_authority()
        server.start()
        server.mark()
        self.account_call(account, "Retry").result()
        wait_until(lambda: self.standing(account)[:2] == ("failed", "certificate"), lambda: self.standing(account),
                   every=0.05)
        self.assertEqual(server.seen(method="REGISTER"), [])
        self.remove_account(account)


class Reaching(SIPTest):
    expires = 20

    def test_a_server_that_never_answers(self):
        silent = Kamailio(f"{self.folder}/silent", PASSWORDS, self.certificates.good())
        silent.is_silent = True
        self.far_side(silent)
        account = self.add_account("alice", server=silent, transport="udp", wait="offline")
        self.assertStanding(account, "failed", "unreachable")
        silent.stop()
        silent.is_silent = False
        silent.start()
        self.account_call(account, "Retry").result()
        self.wait_available(account, "online")
        self.remove_account(account, silent)

    def test_a_server_that_is_not_there(self):
        server = Kamailio(f"{self.folder}/absent", PASSWORDS, self.certificates.good())
        for transport in ("tcp", "tls"):
            with self.subTest(transport):
                account = self.add_account("alice", server=server, transport=transport, wait="offline")
                self.assertStanding(account, "failed", "unreachable")
                self.remove_account(account)

    @interop("Kamailio", "register")
    def test_a_server_that_starts_again_knows_the_account_after_a_while(self):
        server = self.start_server(self.certificates.good(), expires=10)
        account = self.add_account("alice", server=server)
        server.restart()
        server.mark()
        server.wait_seen(1, method="REGISTER")
        wait_until(lambda: any(request.credentials for request in server.seen(method="REGISTER")),
                   "it does not register again", every=0.05)
        self.wait_available(account, "online")
        self.remove_account(account, server)


@unittest.skipIf(os.geteuid(), "only root can give a process another resolv.conf")
class Names(SIPTest):
    """The server is found by the domain alone."""

    @classmethod
    def make_wrapper(cls):
        cls.dns = Dnsmasq(f"{cls.folder}/dns", cls.server).offer("udp").offer("tcp").offer("tls")
        return cls.keep(cls.dns.start()).wrapper()

    def test_the_server_is_found_by_its_domain(self):
        for transport, query in (("udp", "query[SRV] _sip._udp."), ("tcp", "query[SRV] _sip._tcp."),
                                 ("tls", "query[SRV] _sips._tcp.")):
            with self.subTest(transport):
                self.server.mark()
                account = self.add_account("alice", transport=transport, proxy=None)
                self.assertIn(f"{query}{DOMAIN}", self.dns.queries())
                self.assertEqual({request.transport for request in self.server.seen(method="REGISTER")}, {transport})
                self.remove_account(account)

    def test_a_domain_without_a_server(self):
        account = self.add_account("alice", proxy=None, wait="offline", domain="nowhere.test")
        self.assertStanding(account, "failed", "unreachable")
        self.remove_account(account)


@unittest.skipIf(not os.path.exists("/proc/net/if_inet6"), "no IPv6 here")
class Version6(SIPTest):
    hosts = ("::1",)

    @interop("Kamailio", "IPv6")
    def test_registers_over_ipv6(self):
        for transport in ("udp", "tls"):
            with self.subTest(transport):
                account = self.add_account("alice", transport=transport)
                self.assertIn("[::1]", self.server.seen(method="REGISTER")[-1].contact)
                self.remove_account(account)
