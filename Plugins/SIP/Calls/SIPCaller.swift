// SIPCaller: who calls, as an INVITE says it and as the system is told.

public import OpenCallKit

/// What an INVITE says of who calls.
public struct SIPCaller: Hashable, Sendable {
    /// Its headers, a line each: `From: "Bob" <sip:bob@example.org>`.
    public var headers: String
    /// Whether it comes from the account's server.
    public var isTrusted: Bool

    public init(headers: String, isTrusted: Bool) { (self.headers, self.isTrusted) = (headers, isTrusted) }

    /// The values of a header, in their order, of all of its lines.
    fileprivate func values(_ name: String) -> [String] {
        headers.split(separator: "\n").flatMap { line -> [String] in
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { return [] }
            let value = line[line.index(after: colon)...]
            // From has one value, and its name need not be in quotes.
            return name == "from" ? [value.trimmed] : SIPQuotes.parts(of: value, at: ",").map(\.trimmed)
        }.filter { !$0.isEmpty }
    }
}

/// Who calls, as the system is told.
public struct SIPCallerDetails: Hashable, Sendable {
    /// Nil for a caller that is withheld.
    public var handle: CXHandle?
    public var name: String?
    public var divertedBy: CXHandle?
    public var verification: CXCallUpdate.Verification?

    /// What the network vouches for counts before what the caller says, and a number before an address; but who asks to be
    /// withheld stays so.
    init(_ caller: SIPCaller, home: SIPHome?) {
        let wishes = caller.wishes
        divertedBy = wishes.isDisjoint(with: ["history", "header"]) ? caller.divertedBy(home) : nil
        verification = caller.verification
        guard wishes.isDisjoint(with: ["id", "user", "header"]) else { return }
        let claimed = caller.parties("from", home)
        let (vouched, remote) = (caller.asserted(home), caller.remoteParties(home))
        let parties = claimed + vouched + remote + caller.preferred(home)
        guard claimed.first?.handle != nil, !parties.contains(where: \.isWithheld),
            let best = Self.best(vouched + remote.filter(\.isScreened))
                ?? Self.best(claimed + caller.preferred(home) + remote)
        else { return }
        handle = best.handle
        guard !parties.contains(where: \.hidesName) else { return }
        // The others are the same caller if they are vouched for as well, or have the same address.
        let named =
            [best] + (best.isScreened ? parties.filter(\.isScreened) : []) + parties.filter { $0.handle == best.handle }
        name = named.lazy.compactMap(\.name).first
    }

    private static func best(_ parties: [Party]) -> Party? {
        let known = parties.filter { $0.handle != nil }
        let most = known.map(\.rank).max()
        return known.first { $0.rank == most }
    }
}

/// One of the identities of a caller.
private struct Party {
    /// Nil for one that is withheld, or that is not understood.
    var handle: CXHandle?
    var name: String?
    var isWithheld = false
    /// Whether the caller's name is not to be shown, wherever it stands.
    var hidesName = false
    /// Whether the network vouches for it.
    var isScreened = false

    init(_ value: SIPNameAddress, _ home: SIPHome?, isTrusted: Bool) {
        handle = SIPAddress.handle(for: value.uri, home: home, isTrusted: isTrusted)
        name = SIPName.shown(value.name)
        isWithheld = SIPAddress.isWithheld(value.uri)
    }

    /// A number that is valid everywhere says more than one of the server's own, and that more than an address.
    var rank: Int {
        guard let handle, handle.type == .phoneNumber else { return 0 }
        return handle.value.hasPrefix("+") ? 2 : 1
    }
}

extension SIPCaller {
    /// Whether a later message of a call names somebody else. One that has less than the first, as many have, does not.
    func isSomebodyElse(than former: SIPCaller, _ home: SIPHome?) -> Bool {
        let (told, now) = (SIPCallerDetails(former, home: home), SIPCallerDetails(self, home: home))
        let isVouchedFor = !asserted(home).isEmpty || remoteParties(home).contains(where: \.isScreened)
        let claimsAnother = parties("from", home).first?.handle != former.parties("from", home).first?.handle
        // Who was withheld stays so.
        return (claimsAnother || isVouchedFor && told.handle != nil) && now.handle != told.handle
    }

    /// What the caller asks to be withheld (RFC 3323, 4.2; RFC 3325, 9.3; RFC 7044, 10.1), in small letters.
    fileprivate var wishes: Set<String> {
        Set(values("privacy").flatMap { $0.split(separator: ";") }.map { $0.trimmed.lowercased() })
    }

    fileprivate func parties(_ header: String, _ home: SIPHome?) -> [Party] {
        values(header).map { Party(SIPNameAddress($0), home, isTrusted: isTrusted) }
    }

    /// RFC 3325, 9.1: a SIP URI, a `tel` URI, or both.
    fileprivate func asserted(_ home: SIPHome?) -> [Party] {
        guard isTrusted else { return [] }
        return parties("p-asserted-identity", home).map { party in
            var party = party
            party.isScreened = true
            return party
        }
    }

    /// RFC 3325, 9.2: what the caller would like to be.
    fileprivate func preferred(_ home: SIPHome?) -> [Party] { isTrusted ? parties("p-preferred-identity", home) : [] }

    /// What came before P-Asserted-Identity, with parameters that say whose it is and what is to be shown.
    fileprivate func remoteParties(_ home: SIPHome?) -> [Party] {
        guard isTrusted else { return [] }
        return values("remote-party-id").map(SIPNameAddress.init).filter { $0.parameter("party") != "called" }.map {
            var party = Party($0, home, isTrusted: true)
            let privacy = Set(($0.parameter("privacy") ?? "").split { "-,".contains($0) }.map(String.init))
            if !privacy.isDisjoint(with: ["full", "uri"]) { party.isWithheld = true }
            party.hidesName = privacy.contains("name")
            party.isScreened = $0.parameter("screen") != "no"
            return party
        }
    }

    /// Who was called first: the last one who has sent the call on.
    fileprivate func divertedBy(_ home: SIPHome?) -> CXHandle? {
        var value = values("diversion").first
        if value == nil {
            // The last entry is where the call is now.
            let history = values("history-info")
            value = history.dropLast().last
        }
        guard let party = value.map(SIPNameAddress.init),
            ["full", "uri"].contains(party.parameter("privacy") ?? "") == false,
            party.header("privacy").map({ $0.lowercased() == "none" }) ?? true
        else { return nil }
        return SIPAddress.handle(for: party.uri, home: home, isTrusted: isTrusted)
    }

    /// What the network found out about the caller's number (3GPP TS 24.229, verstat).
    fileprivate var verification: CXCallUpdate.Verification? {
        guard isTrusted else { return nil }
        let results = (values("p-asserted-identity") + values("from")).compactMap { value -> String? in
            let lower = value.lowercased()
            return lower.firstRange(of: "verstat=").map { range in
                String(lower[range.upperBound...].prefix { !";>,@ ".contains($0) })
            }
        }
        guard let result = results.first, !result.isEmpty else { return nil }
        return result.contains("passed")
            ? .passed : result.contains("failed") ? .failed : CXCallUpdate.Verification.none
    }
}
