// SIPHome: where the addresses of an account's provider are.

/// The domain of an account, and its server. Machines inside of the provider are no places where anybody can be called.
public struct SIPHome: Hashable, Sendable {
    let domain: SIPServer
    /// The host of the server, if the settings name one.
    private let server: String?

    /// - Parameter proxy: a SIP URI.
    public init(domain: SIPServer, proxy: String? = nil) {
        self.domain = domain
        server = proxy.flatMap { SIPAddress(uri: $0)?.host.name }
    }

    /// The address by which the account calls whom the network names: a user of a machine is one of the domain.
    /// - Parameter isTrusted: whether the account's server names it. What others have is no machine of the provider.
    func address(of address: SIPAddress, isTrusted: Bool) -> SIPAddress {
        let name = address.host.name
        let isOwn = name == domain.name || name == server || (isTrusted && address.host.isNumeric)
        guard isOwn, let host = SIPServer(domain.name) else { return address }
        return SIPAddress(
            user: address.user, host: host, isSecure: address.isSecure, isPhone: address.isPhone)
    }
}
