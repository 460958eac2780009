// GNOMECallsFile: accounts in GNOME Calls' sip-account.cfg.

import CallModel
import EventLoop

/// One group is one account: `Host`, `User`, `DisplayName`, `Protocol`, `Port`, `AutoConnect`, `DirectMode`, `LocalPort`,
/// `CanTel` and `MediaEncryption`. Passwords are in the keyring; the first versions had them in the file, as `Password`.
@LoopActor
struct GNOMECallsFile {
    private let file: KeyFile
    private let groups: [KeyFile.Group]

    /// Returns nil if the file is not of GNOME Calls.
    init?(_ file: KeyFile) {
        self.file = file
        groups = file.groups.filter { $0.has("Host") && $0.has("User") || $0.has("DirectMode") }
        if groups.isEmpty { return nil }
    }

    var count: Int { groups.count }

    func accounts() -> [ImportedAccount] { groups.map(account) }

    private func account(of group: KeyFile.Group) -> ImportedAccount {
        func text(_ key: String) -> String? { file.text(key, in: group, .glib) }
        var account = ImportedAccount(from: .gnomeCalls)
        account.user = text("User") ?? ""
        account.domain = text("Host") ?? ""
        if text("DirectMode") == "true" || text("Direct") == "true" {
            account.obstacle = "it has no server (DirectMode)"
            return account
        }
        guard !account.user.isEmpty, let host = ImportedServer(account.domain) else {
            account.obstacle = "it has no user, or no valid host"
            return account
        }
        account.domain = host.name
        account.isUsed = text("AutoConnect") != "false"
        account.set("display-name", text("DisplayName"))
        let way = text("Protocol") ?? "UDP"
        let transport = ImportedTransport(rawValue: way.lowercased())
        if transport == nil { account.note("Protocol is \"\(way.excerpt)\", and left out") }
        account.set("transport", transport?.rawValue)
        // Without a port, the domain's servers are looked up.
        let port = text("Port").flatMap { UInt16($0) }.flatMap { $0 > 0 ? $0 : nil } ?? host.port
        account.set("proxy", port.map { ImportedServer(host, port: $0).proxy(transport ?? .udp) })
        if let local = text("LocalPort"), local != "0" { account.note("the local port is chosen anew for each start") }
        setEncryption(text("MediaEncryption"), of: &account)
        account.readSecret("password", "Password", of: file, in: group, .glib)
        if account.secrets.isEmpty {
            account.note("GNOME Calls has its password in the keyring")
            account.passwordCommand = [
                "secret-tool", "lookup", "protocol", "sip", "server", text("Host") ?? "", "username", account.user,
            ]
        }
        return account
    }

    private func setEncryption(_ text: String?, of account: inout ImportedAccount) {
        let words = ["0": "off", "1": "preferred", "2": "required"]
        guard let text else { return }
        guard let word = words[text] else {
            return account.note("MediaEncryption is \"\(text.excerpt)\", and left out")
        }
        account.set("encryption", word)
    }
}
