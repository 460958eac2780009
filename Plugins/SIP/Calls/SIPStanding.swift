// SIPStanding: how an account fares, as the user is told.

public import OpenCallKit

/// The availability of an account's provider, and the state of the account.
public struct SIPStanding: Hashable, Sendable {
    public let availability: CXProviderConfiguration.Availability
    public let state: PluginAccount.State
    /// One sentence for people; empty if all is well.
    public let text: String

    private init(
        _ availability: CXProviderConfiguration.Availability, _ state: PluginAccount.State, _ text: String = ""
    ) {
        (self.availability, self.state, self.text) = (availability, state, text)
    }

    public static let connecting = SIPStanding(.connecting, .connecting)
    public static let registered = SIPStanding(.online, .ready)
    /// The engine has not started.
    public static let broken = SIPStanding(.offline, .failed(.unsupported), "The SIP engine does not start")

    /// The settings cannot be used.
    public init(_ problem: InvalidSIPSettings) { self.init(.offline, .failed(.unsupported), problem.text) }

    /// The account is not registered.
    /// - Parameters:
    ///   - code: the response's; 0 for none.
    ///   - domain: the account's.
    public init(code: UInt16, failure: SIPFailure?, domain: String) {
        switch (code, failure) {
        case (401, _), (407, _):
            self.init(.unauthorized, .failed(.badCredentials), "\(domain) refuses the user name or the password")
        case (403, _):
            self.init(.unauthorized, .failed(.badCredentials), "\(domain) does not let this user log in")
        case (404, _), (604, _):
            self.init(.unauthorized, .failed(.badCredentials), "\(domain) does not know this user")
        case (408, _), (0, .timeout), (504, _):
            self.init(.offline, .failed(.unreachable), "\(domain) does not answer")
        case (405, _), (406, _), (416, _), (420, _), (501, _):
            self.init(.offline, .failed(.unsupported), "\(domain) takes no registrations of this kind (SIP \(code))")
        case (0, .certificate):
            self.init(.offline, .failed(.certificate), "The certificate of \(domain) is not valid")
        case (0, .nameNotFound):
            self.init(.offline, .failed(.unreachable), "No server was found for \(domain)")
        case (0, .incompatible):
            self.init(.offline, .failed(.unsupported), "\(domain) lacks something that the settings ask for")
        case (0, _):
            self.init(.offline, .failed(.unreachable), "There is no connection to \(domain)")
        default:
            self.init(.offline, .failed(.unreachable), "\(domain) does not take registrations now (SIP \(code))")
        }
    }
}
