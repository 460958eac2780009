// Files of GNOME Calls and Linphone: what is understood of them, and what hostile ones do.

import CallModel
import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import callctl

@Suite @LoopActor struct GNOMECallsFileTests {
    nonisolated init() { Loop.shared.start() }

    /// As GNOME Calls 44 writes it.
    private static let file = """
        [sip-00]
        Id=8a7c
        Host=sip.example.org
        User=alice
        DisplayName=Alice\\sA.
        Protocol=TLS
        Port=5061
        AutoConnect=true
        DirectMode=false
        LocalPort=0
        CanTel=true
        MediaEncryption=2

        [sip-01]
        Id=9b
        Host=example.net
        User=bob
        DisplayName=
        Protocol=UDP
        Port=0
        AutoConnect=false
        DirectMode=false
        LocalPort=5070
        CanTel=false
        MediaEncryption=0

        [sip-02]
        DirectMode=true
        LocalPort=5080
        """

    @Test func accounts() throws {
        let file = try ImportSample.file(Self.file)
        #expect(file.source == .gnomeCalls && file.accounts.count == 3)
        let alice = file.accounts[0]
        #expect(alice.address == "alice@sip.example.org" && alice.isUsed && alice.secrets.isEmpty)
        #expect(
            ImportSample.settings(alice) == [
                "display-name=Alice A.", "transport=tls", "proxy=sip:sip.example.org:5061;transport=tls",
                "encryption=required",
            ])
        #expect(
            alice.passwordCommand == [
                "secret-tool", "lookup", "protocol", "sip", "server", "sip.example.org", "username", "alice",
            ])
        let bob = file.accounts[1]
        #expect(!bob.isUsed && ImportSample.settings(bob) == ["transport=udp", "encryption=off"])
        #expect(file.accounts[2].obstacle == "it has no server (DirectMode)")
    }

    @Test func thePasswordOfTheFirstVersions() throws {
        let file = try ImportSample.file("[work]\nUser=a\nPassword= g\\\\h\\s \nHost=h\nProtocol=TCP\n")
        let account = try #require(file.accounts.first)
        #expect(try ImportSample.secrets(account) == ["password": "g\\h  "])
        #expect(account.passwordCommand.isEmpty && account.notes.isEmpty)
    }

    @Test(arguments: [
        ("Host=h:5070", ["transport=udp", "proxy=sip:h:5070;transport=udp"], 1),
        ("Host=h\nProtocol=SCTP", [], 2), ("Host=h\nMediaEncryption=7", ["transport=udp"], 2),
        ("Host=h\nPort=99999", ["transport=udp"], 1), ("Host=h\nPort=-1", ["transport=udp"], 1),
    ]) func valuesThatAreUnusual(lines: String, settings: [String], notes: Int) throws {
        let account = try #require(try ImportSample.file("[sip-00]\nUser=a\n" + lines).accounts.first)
        #expect(ImportSample.settings(account) == settings && account.domain == "h")
        #expect(account.notes.count == notes, "\(account.notes)")
    }

    @Test(arguments: ["h h", "h/../", "<h>", "h;x", "-o@h", "häst", "[::1", ""]) func hostsThatAreNone(host: String)
        throws
    {
        let file = try ImportSample.file("[sip-00]\nUser=a\nDirectMode=false\nHost=\(host)\n")
        #expect(file.accounts.first?.obstacle == "it has no user, or no valid host")
    }
}

@Suite @LoopActor struct LinphoneFileTests {
    nonisolated init() { Loop.shared.start() }

    /// What Linphone 5.1 has made of it.
    private static let file = """
        [sip]
        default_proxy=0
        media_encryption=srtp
        media_encryption_mandatory=1
        contact=sip:linphone@unknown-host

        [auth_info_0]
        username=alice
        userid=alice-auth
        passwd=geheim= x
        realm="example.org"
        domain=example.org
        algorithm=MD5

        [auth_info_1]
        username=bob
        ha1=0123456789abcdef0123456789abcdef
        realm="asterisk"

        [auth_info_2]
        username=turnalice
        passwd=relay

        [proxy_1]
        reg_proxy=sip:example.net
        reg_identity=sip:bob@example.net
        reg_sendregister=0

        [proxy_0]
        reg_proxy=<sip:sip.example.org:5061;transport=tls>
        reg_identity="Alice \\"A.\\"" <sip:alice@example.org>
        reg_expires=3600
        reg_sendregister=1
        nat_policy_ref=abcdef

        [nat_policy_0]
        ref=abcdef
        stun_server=turn.example.org:3478
        stun_server_username=turnalice
        protocols=stun,turn,ice

        [net]
        nat_policy_ref=jNsyqcIEgnnM47p
        mtu=1300

        [nat_policy_1]
        ref=jNsyqcIEgnnM47p
        stun_server=stun.example.net

        [audio_codec_0]
        mime=opus
        enabled=1

        [audio_codec_1]
        mime=speex
        enabled=1

        [audio_codec_2]
        mime=PCMU
        enabled=0

        [audio_codec_10]
        mime=PCMA
        enabled=1
        """

    @Test func accounts() throws {
        let file = try ImportSample.file(Self.file)
        #expect(file.source == .linphone && file.accounts.map(\.address) == ["alice@example.org", "bob@example.net"])
        let alice = file.accounts[0]
        #expect(
            ImportSample.settings(alice) == [
                "display-name=Alice \"A.\"", "transport=tls", "proxy=sip:sip.example.org:5061;transport=tls",
                "encryption=required", "auth-user=alice-auth", "turn=turn.example.org:3478", "turn-user=turnalice",
                "codecs=opus,PCMA",
            ])
        #expect(try ImportSample.secrets(alice) == ["password": "geheim= x", "turn-password": "relay"])
        #expect(alice.notes == ["codecs that are not known here: speex"])
        let bob = file.accounts[1]
        #expect(ImportSample.settings(bob) == ["transport=udp", "encryption=required", "codecs=opus,PCMA"])
        #expect(bob.secrets.isEmpty && !bob.isUsed)
        #expect(bob.notes.first == "Linphone has kept only a hash of the password (ha1), which cannot be used")
        #expect(bob.notes.contains("its STUN server stun.example.net is switched off in Linphone, and left out"))
    }

    @Test(arguments: [
        ("media_encryption=none", "off"), ("media_encryption=srtp", "preferred"),
        ("media_encryption=dtls", "preferred"),
        ("media_encryption=dtls\nmedia_encryption_mandatory=1", "dtls"), ("media_encryption=zrtp", "preferred"),
    ]) func encryption(line: String, word: String) throws {
        let file = try ImportSample.file("[sip]\n\(line)\n[proxy_0]\nreg_identity=sip:a@h\n")
        #expect(ImportSample.settings(try #require(file.accounts.first)) == ["transport=udp", "encryption=\(word)"])
    }

    @Test(arguments: [
        ("reg_proxy=sip:h", ["transport=udp"]), ("reg_proxy=<sip:H;transport=TCP>", ["transport=tcp"]),
        ("reg_proxy=sips:h", ["transport=tls"]),
        ("reg_proxy=sip:h:5060", ["transport=udp", "proxy=sip:h:5060;transport=udp"]),
        ("reg_proxy=<sip:x:y@[2001:db8::1]:5070>", ["transport=udp", "proxy=sip:[2001:db8::1]:5070;transport=udp"]),
        (
            "reg_proxy=sip:h\nreg_route=<sip:edge.h;lr;transport=tls>,<sip:b>",
            ["transport=tls", "proxy=sip:edge.h;transport=tls"]
        ),
        ("reg_proxy=sip:h;transport=dtls", []), ("reg_proxy=nonsense nonsense", ["transport=udp"]),
        ("[net]\nstun_server=stun.h", ["transport=udp", "stun=stun.h"]),
        ("[net]\nstun_server=stun.h\nfirewall_policy=2", ["transport=udp", "stun=stun.h"]),
        ("[net]\nstun_server=stun.h\nfirewall_policy=0", ["transport=udp"]),
    ]) func servers(lines: String, settings: [String]) throws {
        let file = try ImportSample.file("[proxy_0]\nreg_identity=sip:a@h\n" + lines)
        #expect(ImportSample.settings(try #require(file.accounts.first)) == settings)
    }

    @Test func aPasswordOfAnotherDomainIsNotSent() throws {
        let proxy = "[proxy_0]\nreg_identity=sip:a@h\n"
        for (login, secrets) in [
            ("domain=evil", [:]), ("domain=H", ["password": "p"]), ("realm=\"asterisk\"", ["password": "p"]),
            ("domain=evil\n[auth_info_1]\nusername=a\npasswd=q", ["password": "q"]),
        ] {
            let file = try ImportSample.file(proxy + "[auth_info_0]\nusername=a\npasswd=p\n" + login)
            #expect(try ImportSample.secrets(try #require(file.accounts.first)) == secrets, "\(login)")
        }
    }

    @Test(arguments: [
        "", "\"Alice\"", "sip:h", "sip:@h", "sip:a%4@h", "sip:a%ff@h", "sip:a@", "sip:a@h:0", "sip:a@h:65536", "<",
        "><",
        "mailto:a b@h h",
    ]) func identitiesThatAreNone(identity: String) throws {
        let file = try ImportSample.file("[proxy_0]\nreg_proxy=sip:h\nreg_identity=\(identity)\n")
        #expect(file.accounts.first?.obstacle == "its reg_identity is no SIP address", "\(file.accounts)")
    }

    @Test func aFileWithoutAccounts() throws {
        #expect(try ImportSample.file("[net]\nmtu=1300\n[sip]\ncontact=x\n").accounts.isEmpty)
    }

    @Test func addresses() throws {
        let address = try #require(LinphoneAddress("\"a <b>\" <sips:J%C3%B6rg:secret@[::1]:5061;x=y?Subject=z>"))
        #expect(address.name == "a <b>" && address.user == "Jörg" && address.transport == "tls")
        #expect(address.host.text == "[::1]:5061")
        #expect(LinphoneAddress("a@h")?.user == "a")
    }
}

@Suite @LoopActor struct KeyFileTests {
    nonisolated init() { Loop.shared.start() }

    @Test func lines() throws {
        var bytes = Array("x=0\r\n [a] \r\n# k=c\n k = v \r\nk2=\n=\nnone\n[b\n[a]\nk=w\n[\n[]\nx\u{0}=1".utf8)
        let file = KeyFile(&bytes)
        #expect(bytes.isEmpty && file.groups.map(\.name) == ["a", ""])
        let group = try #require(file.groups.first)
        #expect(file.text("k", in: group, .glib) == "w" && !group.has("k2") && !group.has("none"))
        #expect(file.text("k2", in: group, .glib) == nil && file.text("x", in: group, .glib) == nil)
        #expect(try file.secret("k2", in: group, .linphone) == nil)
    }

    @Test func noUTF8IsNoText() throws {
        var bytes = Array("[a]\nk=".utf8) + [0xFF, 0xFE]
        let file = KeyFile(&bytes)
        let group = try #require(file.groups.first)
        #expect(file.text("k", in: group, .linphone) == nil && group.has("k"))
    }

    @Test func aSecretThatIsTooLong() throws {
        let account = try #require(
            try ImportSample.file(
                "[sip-00]\nHost=h\nUser=a\nPassword=" + String(repeating: "x", count: 4_097)
            ).accounts.first)
        #expect(
            account.secrets.isEmpty && account.notes.contains("the password is longer than 4096 bytes, and left out"))
    }

    @Test(arguments: ["", "[", "[]", "hello", "[a]\nHost=h\n", "[proxy_x]\nreg_identity=sip:a@h\n", "\u{FEFF}\u{FFFF}"])
    func filesOfNoProgram(text: String) {
        let failure = #expect(throws: Failure.self) { try ImportSample.file(text) }
        #expect(failure == Failure(.malformed, "/x has neither accounts of GNOME Calls nor of Linphone"))
    }

    @Test(arguments: ["[sip-%]\nHost=h\nUser=u%\n", "[proxy_%]\nreg_identity=sip:u%@h\n"])
    func tooManyAccounts(group: String) {
        let text = (0..<10_000).map { group.replacing("%", with: String($0)) }.joined()
        let failure = #expect(throws: Failure.self) { try ImportSample.file(text) }
        #expect(failure == Failure(.malformed, "/x has 10000 accounts, expected 64 at most"))
    }

    @Test func filesThatCannotBeRead() throws {
        let folder = try TemporaryFolder()
        let large = "\(folder.path)/large"
        let fifo = "\(folder.path)/fifo"
        let zeroes = "\(folder.path)/zeroes"
        try folder.write(String(repeating: "# x\n", count: (KeyFile.largest >> 2) + 1), to: "large")
        try folder.write("[sip-00]\nHost=h\nUser=a\u{0}\n", to: "zeroes")
        #expect(mkfifo(fifo, 0o600) == 0)
        for (path, outcome, text) in [
            (large, CallctlExit.malformed, "has more than 1048576 bytes"), (zeroes, .malformed, "is not a text file"),
            (fifo, .refused, "not a regular file"), (folder.path, .refused, "not a regular file"),
            ("/dev/zero", .refused, "not a regular file"), (folder.path + "/none", .unknown, "no file "),
        ] {
            let failure = #expect(throws: Failure.self) { try KeyFile(path) }
            #expect(failure?.outcome == outcome && failure?.message.contains(text) == true, "\(failure?.message ?? "")")
        }
    }

    @Test func usualPlaces() {
        #expect(ImportedFile.usualPaths([:]).isEmpty && ImportedFile.usualPaths(["HOME": "x"]).isEmpty)
        #expect(
            ImportedFile.usualPaths(["HOME": "/h", "XDG_CONFIG_HOME": "/c"]) == [
                "/c/calls/sip-account.cfg", "/h/.var/app/org.gnome.Calls/config/calls/sip-account.cfg",
                "/c/linphone/linphonerc", "/h/.linphonerc",
                "/h/.var/app/com.belledonnecommunications.linphone/config/linphone/linphonerc",
            ])
        #expect(ImportedFile.usualPaths(["HOME": "/h"]).first == "/h/.config/calls/sip-account.cfg")
    }
}

enum ImportSample {
    @LoopActor static func file(_ text: String) throws(Failure) -> ImportedFile {
        var bytes = Array(text.utf8)
        return try ImportedFile(KeyFile(&bytes), at: "/x")
    }

    @LoopActor static func settings(_ account: ImportedAccount) -> [String] {
        account.settings.map { "\($0.key)=\($0.value)" }
    }

    @LoopActor static func secrets(_ account: ImportedAccount) throws -> [String: String] {
        try Dictionary(
            account.secrets.map { (key, secret) throws in (key, try SecretText.read(secret)) }
        ) { _, new in new }
    }
}

enum SecretText {
    @LoopActor static func read(_ secret: SecretBytes) throws -> String {
        let pipe = try secret.pipe()
        var bytes: [UInt8] = []
        try withExtendedLifetime(pipe) {
            while let byte = try InputByte.next(of: pipe.number) { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
