"""Kamailio as the SIP server of tests: a registrar with passwords, a proxy, and numbers that refuse."""

import os
import re
import socket
import ssl

from sip.certificates import DOMAIN
from sip.ports import RigProcess, free_port
from support.waiting import GIVE_UP, wait_until

REFUSALS = {"busy": (486, "Busy Here"), "forbidden": (403, "Forbidden"), "nobody": (404, "Not Found"),
            "away": (480, "Temporarily Unavailable"), "decline": (603, "Decline"), "broken": (500, "Server Error")}
"""Users who refuse each call, with the status."""

MODULES = ("tls", "sl", "tm", "rr", "pv", "maxfwd", "usrloc", "registrar", "textops", "siputils", "xlog", "auth",
           "corex", "nathelper")

CONFIGURATION = """#!KAMAILIO
debug=1
log_stderror=yes
fork=yes
children=1
tcp_children=1
enable_tls=yes
auto_aliases=no
alias="{domain}"
{listen}
mpath="/usr/lib/x86_64-linux-gnu/kamailio/modules/"
{modules}
modparam("tls", "private_key", "{key}")
modparam("tls", "certificate", "{certificate}")
modparam("tls", "tls_method", "TLSv1.2+")
modparam("usrloc", "db_mode", 0)
modparam("registrar", "received_avp", "$avp(RECEIVED)")
modparam("nathelper", "received_avp", "$avp(RECEIVED)")
modparam("registrar", "gruu_enabled", 0)
modparam("registrar", "min_expires", {expires})
modparam("registrar", "max_expires", {expires})
modparam("auth", "nonce_expire", 300)
{relay}
tcp_accept_aliases=yes
tcp_reuse_port=yes
mhomed={mhomed}

request_route {{
  if ($proto != "udp") force_tcp_alias();
  xlog("L_ALERT", "SEEN|$rm|$proto|$fU|$rU|$ai|$hdr(Expires)|$hdr(Authorization)$hdr(Proxy-Authorization)|$ct|$ci $hdr(CSeq)\\n");
  if (!mf_process_maxfwd_header("20")) {{ sl_send_reply("483", "Too Many Hops"); exit; }}
{silent}
  if (is_method("REGISTER")) {{ route(REGISTER); exit; }}
  if (has_totag()) {{ route(DIALOG); exit; }}
  if (is_method("CANCEL")) {{ if (t_check_trans()) t_relay(); exit; }}
  if (is_method("OPTIONS") && $rU == $null) {{ sl_send_reply("200", "OK"); exit; }}
  t_check_trans();
  if (is_method("INVITE|SUBSCRIBE|REFER")) {{ record_route(); if ($proto != "udp") add_contact_alias(); }}
  if (is_method("INVITE") && $fd == "{domain}") route(CHALLENGE);
{manage}
{refusals}
  t_on_reply("REPLY");
  if ($rU =~ "^to-[0-9]+$") {{ $du = "sip:127.0.0.1:" + $(rU{{s.substr,3,0}}); t_relay(); exit; }}
  if ($rU =~ "^at-[0-9.]+-[0-9]+$") {{ $du = "sip:" + $(rU{{s.select,1,-}}) + ":" + $(rU{{s.select,2,-}}); t_relay(); exit; }}
  if ($rU =~ "^to6-[0-9]+$") {{ $du = "sip:[::1]:" + $(rU{{s.substr,4,0}}); t_relay(); exit; }}
  if (!lookup("location")) {{ sl_send_reply("480", "Temporarily Unavailable"); exit; }}
  t_relay();
}}

route[PASSWORD] {{
  $var(password) = "";
{passwords}
}}

route[REGISTER] {{
  route(PASSWORD);
  if ($var(password) == "" || !pv_auth_check("{domain}", "$var(password)", "0", "0")) {{
    xlog("L_ALERT", "CHALLENGED|$au\\n");
    auth_challenge("{domain}", "0");
    exit;
  }}
  fix_nated_register();
  save("location", "0x04");  # one phone for each user
}}

route[CHALLENGE] {{
  route(PASSWORD);
  if ($var(password) == "" || !pv_auth_check("{domain}", "$var(password)", "0", "0")) {{
    proxy_challenge("{domain}", "0");
    exit;
  }}
  consume_credentials();
}}

route[DIALOG] {{
  if (loose_route()) {{
    handle_ruri_alias();
{manage}
    t_on_reply("REPLY");
    t_relay();
    exit;
  }}
  if (is_method("ACK")) {{ if (t_check_trans()) t_relay(); exit; }}
  sl_send_reply("404", "Not here");
}}

onreply_route[REPLY] {{
  if ($proto != "udp") add_contact_alias();
{manage}
}}
"""


class Seen:
    """A request as it has reached the server."""

    def __init__(self, line):
        self.method, self.transport, self.caller, self.user, self.identity, self.expires, self.credentials, self.contact = \
            (line.strip().replace("<null>", "").split("|") + [""] * 8)[:8]

    @property
    def is_end(self):
        """Whether a REGISTER ends a registration."""
        return self.expires == "0" or "expires=0" in self.contact

    def __repr__(self):
        words = f"{self.method} {self.caller}>{self.user} by {self.transport}{' to end' if self.is_end else ''}"
        return words + (" with credentials" if self.credentials else "")


class Kamailio(RigProcess):
    """The server. `users` are passwords by user name."""

    def __init__(self, folder, users, certificate, hosts=("127.0.0.1",), expires=60, ports=None, relay=None):
        super().__init__("kamailio", folder)
        self.users = dict(users)
        self.certificate = certificate
        self.hosts = hosts
        self.expires = expires
        """How long a registration lasts, in seconds."""
        self.relay = relay
        """The rtpengine that the sound of all calls passes through, or None."""
        self.is_silent = False
        """Whether it takes requests and never answers."""
        self.port, self.tls_port = ports or (free_port(hosts[0]), free_port(hosts[0]))
        self.log_start = 0

    def start(self):
        path = os.path.join(self.folder, "kamailio.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.configuration())
        self.spawn("kamailio", "-DD", "-E", "-m", "128", "-M", "4", "-f", path, "-w", self.folder, "-Y", self.folder)
        wait_until(self.answers, lambda: f"Kamailio does not answer: {self.log()[-2000:]}", every=0.03)
        return self

    def configuration(self):
        listen = "\n".join(f"listen={kind}:{f'[{host}]' if ':' in host else host}:{port}" for host in self.hosts
                           for kind, port in (("udp", self.port), ("tcp", self.port), ("tls", self.tls_port)))
        return CONFIGURATION.format(
            domain=DOMAIN, listen=listen, mhomed=int(len(self.hosts) > 1), expires=self.expires, certificate=self.certificate,
            key=self.certificate.removesuffix(".pem") + ".key",
            silent="  exit;" if self.is_silent else "",
            relay=f'loadmodule "rtpengine.so"\nmodparam("rtpengine", "rtpengine_sock", "udp:127.0.0.1:{self.relay.port}")'
            if self.relay else "", manage="  rtpengine_manage();" if self.relay else "",
            modules="\n".join(f'loadmodule "{name}.so"' for name in MODULES),
            passwords="\n".join(f'  if ($au == "{user}") $var(password) = "{password}";'
                                for user, password in self.users.items()),
            refusals="\n".join(f'  if ($rU == "{user}") {{ sl_send_reply("{code}", "{words}"); exit; }}'
                               for user, (code, words) in REFUSALS.items()))

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"Kamailio has ended: {self.log()[-3000:]}")
        return all(self.accepts(host, port) for host in self.hosts for port in (self.port, self.tls_port)) \
            and (self.is_silent or all(self.replies(host) for host in self.hosts))

    @staticmethod
    def accepts(host, port):
        try:
            socket.create_connection((host, port), 1).close()
            return True
        except OSError:
            return False

    def replies(self, host):
        """Whether it answers OPTIONS over UDP."""
        named = f"[{host}]" if ":" in host else host
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.settimeout(0.2)
            udp.connect((host, self.port))
            name = f"{named}:{udp.getsockname()[1]}"
            udp.send((f"OPTIONS sip:{named}:{self.port} SIP/2.0\r\nVia: SIP/2.0/UDP {name};branch=z9hG4bKready\r\n"
                      f"From: <sip:ready@{name}>;tag=1\r\nTo: <sip:{named}>\r\nCall-ID: ready@{name}\r\n"
                      f"CSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n").encode())
            try:
                return udp.recv(4096).startswith(b"SIP/2.0 200")
            except OSError:
                return False

    def restart(self):
        """Ends it at once, with all that it knows, and starts it again at the same ports."""
        self.kill()
        return self.start()

    def kill(self):
        self.stop(seconds=0)

    def uri(self, transport="udp", host=None):
        """The server's URI, as an outbound proxy."""
        host = host or self.hosts[0]
        host = f"[{host}]" if ":" in host else host
        return f"sip:{host}:{self.tls_port if transport == 'tls' else self.port};transport={transport}"

    # What it has seen

    def mark(self):
        """From here on `seen` tells of new requests only."""
        self.log_start = len(self.log())

    def seen(self, method=None, caller=None, user=None):
        """The new requests. One that was sent again, because its answer came late, counts once."""
        first = {}
        for match in re.finditer(r"SEEN\|(.*)\|(.*)", self.log()):
            first.setdefault(match[2], match)
        requests = [Seen(match[1]) for match in first.values() if match.start() >= self.log_start]
        return [request for request in requests
                if (method is None or request.method == method) and (caller is None or request.caller == caller)
                and (user is None or request.user == user)]

    def wait_seen(self, count=1, **what):
        return wait_until(lambda: len(self.seen(**what)) >= count and self.seen(**what),
                          lambda: f"{what} not seen {count} times: {self.seen()}", every=0.02)

    def wait_unregistered(self, user):
        """Waits until the user, with the password, has asked not to be registered."""
        wait_until(lambda: any(request.credentials and request.is_end for request in self.seen("REGISTER", user)),
                   lambda: f"{user} stays registered: {self.seen()}", every=0.02)

    def tls_is_served(self, authority):
        """Whether a client that checks the certificate is content: for tests of the rig itself."""
        context = ssl.create_default_context(cafile=authority)
        try:
            with socket.create_connection((self.hosts[0], self.tls_port), GIVE_UP) as plain:
                with context.wrap_socket(plain, server_hostname=DOMAIN):
                    return True
        except ssl.SSLError:
            return False
