// SIPTransferTarget: with whom a far side wants a call to go on.

import OpenCallKit

/// The value of Refer-To (RFC 3515, 2.1), as far as it can be called whole.
struct SIPTransferTarget: Hashable, Sendable {
    /// Whom the user is asked about.
    let handle: CXHandle
    /// What is called. A URI for SIP has all of its parameters: they may name one phone of several.
    let uri: String
    /// The call that the new one takes the place of: the value of Replaces, or nil.
    let replaces: String?

    /// Why a target is refused, as a SIP response.
    enum Problem: UInt16, Error {
        case notUnderstood = 400
        case scheme = 416
        case nobody = 603
    }

    init(_ text: String, home: SIPHome?) throws(Problem) {
        guard let home, text.utf8.count <= SIPAddress.maximumURILength, SIPQuotes.parts(of: text, at: ",").count == 1
        else { throw .notUnderstood }
        let value = SIPNameAddress(text)
        guard let colon = value.uri.firstIndex(of: ":") else { throw .notUnderstood }
        switch value.uri[..<colon].lowercased() {
        case "tel":
            guard value.headers.isEmpty, let telephone = SIPTelephone(uri: value.uri), telephone.isUnderstood,
                // The number of somebody else's domain is another one at our server.
                telephone.domain == nil || telephone.domain == home.domain.name,
                let address = try? SIPAddress(
                    dialing: CXHandle(type: .phoneNumber, value: telephone.number), domain: home.domain)
            else { throw .notUnderstood }
            (handle, uri, replaces) = (CXHandle(type: .phoneNumber, value: telephone.number), address.text, nil)
        case "sip", "sips":
            guard let address = SIPAddress(uri: value.uri), !value.uri.contains("?"), Self.isWhole(value.uri, address),
                !address.user.isEmpty, SIPTelephone.isUnderstood(address.user)
            else { throw .notUnderstood }
            guard let handle = home.address(of: address, isTrusted: false).handle else { throw .nobody }
            let names = value.headers.split(separator: "&").map { $0.prefix { $0 != "=" }.lowercased() }
            let replaces = value.header("replaces")
            guard names.count(where: { $0 == "replaces" }) == (replaces == nil ? 0 : 1) else { throw .notUnderstood }
            (self.handle, self.replaces) = (handle, replaces)
            let rest = value.uri[value.uri.index(after: colon)...]
            let user = rest.prefix { $0 != "@" }
            uri =
                value.uri[...colon] + SIPUser.withoutSeparators(String(user), isPhone: address.isPhone)
                + rest[user.endIndex...]
        default: throw .scheme
        }
    }

    /// Whether a URI can stand in a request as it is, asks for a call, and names nobody twice.
    private static func isWhole(_ uri: String, _ address: SIPAddress) -> Bool {
        let place = uri[(uri.firstIndex(of: "@") ?? uri.startIndex)...]
        let methods = place.split(separator: ";").dropFirst().map { $0.lowercased() }.filter { $0.hasPrefix("method=") }
        return uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>\"\\".utf8.contains($0) }
            && methods.allSatisfy { $0 == "method=invite" } && uri.count(where: { $0 == "@" }) <= 1
    }
}
