// LinphoneFile: accounts in Linphone's linphonerc.

import CallModel
import EventLoop

/// `[proxy_N]` is an account, `[auth_info_N]` a password, `[nat_policy_N]` a STUN or TURN server, `[audio_codec_N]` a codec;
/// `[sip]` and `[net]` count for all accounts.
@LoopActor
struct LinphoneFile {
    /// The most groups of each other kind that count.
    private static let maximumOthers = 256

    private let file: KeyFile
    private let proxies: [KeyFile.Group]
    private let logins: [KeyFile.Group]
    private let policies: [KeyFile.Group]
    private let formats: [KeyFile.Group]
    private let sip: KeyFile.Group?
    private let net: KeyFile.Group?

    /// Returns nil if the file is not of Linphone.
    init?(_ file: KeyFile) {
        self.file = file
        func numbered(_ name: String) -> [KeyFile.Group] {
            let found = file.groups.compactMap { group in
                group.name.hasPrefix(name + "_")
                    ? Int(group.name.dropFirst(name.count + 1)).map { (number: $0, group: group) } : nil
            }
            return found.sorted { $0.number < $1.number }.map(\.group)
        }
        proxies = numbered("proxy")
        logins = Array(numbered("auth_info").prefix(Self.maximumOthers))
        policies = Array(numbered("nat_policy").prefix(Self.maximumOthers))
        formats = Array(numbered("audio_codec").prefix(Self.maximumOthers))
        sip = file.groups.first { $0.name == "sip" }
        net = file.groups.first { $0.name == "net" }
        // A file without accounts has the sections of the program.
        guard proxies.contains(where: { $0.has("reg_identity") || $0.has("reg_proxy") }) || sip != nil && net != nil
        else {
            return nil
        }
    }

    var count: Int { proxies.count }

    func accounts() -> [ImportedAccount] { proxies.map(account) }

    private func text(_ key: String, _ group: KeyFile.Group?) -> String? {
        group.flatMap { file.text(key, in: $0, .linphone) }
    }

    private func account(of proxy: KeyFile.Group) -> ImportedAccount {
        var account = ImportedAccount(from: .linphone)
        guard let identity = text("reg_identity", proxy).flatMap({ LinphoneAddress($0) }), !identity.user.isEmpty else {
            account.obstacle = "its reg_identity is no SIP address"
            return account
        }
        (account.user, account.domain) = (identity.user, identity.host.name)
        account.isUsed = text("reg_sendregister", proxy) != "0"
        account.set("display-name", identity.name.isEmpty ? nil : identity.name)
        setServer(of: &account, identity, proxy)
        setEncryption(of: &account)
        setPassword(of: &account)
        setRelays(of: &account, proxy)
        setCodecs(of: &account)
        return account
    }

    /// The registrar, and the proxy before it if there is one.
    private func setServer(of account: inout ImportedAccount, _ identity: LinphoneAddress, _ proxy: KeyFile.Group) {
        let registrar = text("reg_proxy", proxy).flatMap { LinphoneAddress($0) }
        let routes = (text("reg_route", proxy) ?? "").split(separator: ",")
        let route = routes.first.flatMap { LinphoneAddress(String($0)) }
        let server = route ?? registrar ?? identity
        let way = server.transport ?? "udp"
        let transport = ImportedTransport(rawValue: way)
        if transport == nil { account.note("the transport is \"\(way.excerpt)\", and left out") }
        account.set("transport", transport?.rawValue)
        // Without a port, the domain's servers are looked up.
        let isElsewhere = !server.host.isNamed(identity.host) || server.host.port != nil || route != nil
        if isElsewhere { account.set("proxy", server.host.proxy(transport ?? .udp)) }
        if routes.count > 1 { account.note("of its routes, only the first is imported") }
        if route != nil, let registrar, !registrar.host.isNamed(identity.host) {
            account.note("its registrar \(registrar.host.text) is left out: the domain is registered with by the proxy")
        }
    }

    private func setEncryption(of account: inout ImportedAccount) {
        let isRequired = text("media_encryption_mandatory", sip) == "1"
        switch text("media_encryption", sip) {
        case nil: break
        case "none": account.set("encryption", "off")
        case "srtp": account.set("encryption", isRequired ? "required" : "preferred")
        // Unlike that of the setting, Linphone's DTLS may give way.
        case "dtls": account.set("encryption", isRequired ? "dtls" : "preferred")
        case let word?:
            account.set("encryption", isRequired ? "required" : "preferred")
            account.note("the encryption \"\(word.excerpt)\" is not known here: SRTP is used")
        }
    }

    private func setPassword(of account: inout ImportedAccount) {
        let mine = logins.filter { text("username", $0) == account.user }
        let place = account.domain.lowercased()
        // A password for another domain does not belong to this account.
        let login =
            mine.first { text("domain", $0)?.lowercased() == place }
            ?? mine.first { !$0.has("domain") && realm(of: $0)?.lowercased() == place }
            ?? mine.first { !$0.has("domain") }
        guard let login else { return account.note("the file has no password of it") }
        if let name = text("userid", login), name != account.user { account.set("auth-user", name) }
        account.readSecret("password", "passwd", of: file, in: login, .linphone)
        if account.secrets.isEmpty, login.has("ha1") {
            account.note("Linphone has kept only a hash of the password (ha1), which cannot be used")
        }
    }

    private func realm(of login: KeyFile.Group) -> String? { text("realm", login)?.filter { $0 != "\"" } }

    /// STUN and TURN.
    private func setRelays(of account: inout ImportedAccount, _ proxy: KeyFile.Group) {
        let reference = text("nat_policy_ref", proxy) ?? text("nat_policy_ref", net)
        let policy = reference.flatMap { wanted in policies.first { text("ref", $0) == wanted } }
        guard let policy, let server = text("stun_server", policy) else {
            // Linphone up to 3.9: 2 is STUN, 3 is ICE.
            if ["2", "3"].contains(text("firewall_policy", net) ?? "2") {
                setSTUN(text("stun_server", net), of: &account)
            }
            return
        }
        let uses = (text("protocols", policy) ?? "").split(separator: ",").map(\.trimmed)
        if uses.contains("turn") {
            guard let host = ImportedServer(server) else {
                return account.note("its TURN server is invalid, and left out")
            }
            account.set("turn", host.text)
            guard let user = text("stun_server_username", policy) else { return }
            account.set("turn-user", user)
            if let login = logins.first(where: { text("username", $0) == user }) {
                account.readSecret("turn-password", "passwd", of: file, in: login, .linphone)
            }
        } else if uses.contains("stun") || uses.contains("ice") {
            setSTUN(server, of: &account)
        } else {
            account.note("its STUN server \(server.excerpt) is switched off in Linphone, and left out")
        }
    }

    private func setSTUN(_ server: String?, of account: inout ImportedAccount) {
        guard let server else { return }
        guard let host = ImportedServer(server) else { return account.note("its STUN server is invalid, and left out") }
        account.set("stun", host.text)
    }

    /// Those that are switched on, in their order.
    private func setCodecs(of account: inout ImportedAccount) {
        var known: [String] = []
        var others: [String] = []
        for format in formats where text("enabled", format) == "1" {
            guard let name = text("mime", format) else { continue }
            if let word = Self.codecs[name.lowercased()] {
                if !known.contains(word) { known.append(word) }
            } else if !others.contains(name.excerpt) {
                others.append(name.excerpt)
            }
        }
        if !known.isEmpty { account.set("codecs", known.joined(separator: ",")) }
        if !others.isEmpty {
            account.note("codecs that are not known here: \(others.prefix(8).joined(separator: ", "))")
        }
    }

    /// What a SIP plugin calls the codecs, by what Linphone calls them in small letters.
    private static let codecs = ["opus": "opus", "g722": "G722", "pcma": "PCMA", "pcmu": "PCMU"]
}
