// AccessRule: the tier that a client needs for each member of each interface. What signals broadcast needs no tier.

import CallModel
import CallWire
import DBus

/// The tier that a member needs, and when a client can use the member without it.
struct AccessRule: Sendable, Hashable {
    enum Exception: Sendable {
        case none
        /// A client needs no tier on a call of its own provider.
        case ownCall
        /// A client needs no tier on its own provider.
        case ownProvider
        /// A client needs no tier for its own calls. `ClientGate.permitted(_:_:)` checks the request.
        case ownRequest
    }

    let tier: AccessTier
    var exception = Exception.none

    /// The rule for calling a method, receiving a signal or reading a property; nil if there is none, which means
    /// `administer`.
    static func of(_ member: String, _ interface: String) -> AccessRule? { rules[interface]?[member] }

    /// The rule for setting a property; nil if there is none.
    static func ofSetting(_ property: String, _ interface: String) -> AccessRule? { settings[interface]?[property] }

    /// Every member that has a rule, by interface.
    static var members: [String: Set<String>] { rules.mapValues { Set($0.keys) } }
    /// Every property that has a rule for setting it, by interface.
    static var settable: [String: Set<String>] { settings.mapValues { Set($0.keys) } }

    private typealias Row = (interface: String, tier: AccessTier, exception: Exception, members: String)

    private static let rules = rules(of: table)
    private static let settings = rules(of: settingsTable)

    private static func rules(of table: [Row]) -> [String: [String: AccessRule]] {
        var rules: [String: [String: AccessRule]] = [:]
        for row in table {
            for member in row.members.split(separator: " ") {
                rules[row.interface, default: [:]][String(member)] = AccessRule(
                    tier: row.tier, exception: row.exception)
            }
        }
        return rules
    }

    private static let table: [Row] = [
        // An app sees the state of all calls, and provides calls of its own.
        (
            Contract.callSystem, .observe, .none,
            """
            RegisterProvider Version ActiveCall Ringing SuggestedResume Region Features QuietSources DefaultProviders \
            EmergencyProviders Deadlines Policy DoNotDisturb DoNotDisturbRules CallEnded CallFiltered ResumeSuggested \
            Anomaly
            """
        ),
        (
            Contract.callSystem, .control, .ownRequest,
            "RequestTransaction SimulateTransaction StartCall StartCallWith"
        ),
        (Contract.callSystem, .control, .none, "FindProviders EndCalls SilenceRinging"),
        (
            Contract.callSystem, .administer, .none,
            "SetQuiet RegisterScreener UnregisterScreener RegisterAudioAgent UnregisterAudioAgent ForgetPlugin Health"
        ),
        (
            Contract.call, .control, .ownCall,
            """
            Answer AnswerWith End Reject SetHeld SetMuted GroupWith Ungroup PlayDTMF SendWaitingDigits SetTranslating \
            Explain
            """
        ),
        (Contract.call, .observe, .none, PublishedCall.names(for: .everybody)),
        (Contract.callIdentity, .identity, .ownCall, PublishedCall.names(for: .trusted)),
        (Contract.provider, .observe, .none, PublishedProvider.names(for: .everybody)),
        (
            Contract.provider, .control, .ownProvider,
            "PerformCustomAction SendServiceCode ReplyToServiceCode CancelServiceCode"
        ),
        // Each method serves the owner of the provider only.
        (
            Contract.providerHost, .observe, .none,
            """
            ReportNewIncomingCall ReportOngoingCall ReportCallUpdated ReportCallEnded ReportOutgoingCallStartedConnecting \
            ReportOutgoingCallConnected UpdateConfiguration Invalidate
            """
        ),
        (
            Contract.plugin, .observe, .none,
            """
            Path Kinds Enabled State Error Pid SDKVersion Version Restarts StartReason Needs MayUse Reasons Granted \
            Sandbox SandboxGaps Problems Upgrade UpgradeError UpgradeVersion
            """
        ),
        (Contract.plugin, .administer, .none, "Restart Rescan Grant Revoke Forget"),
        (Contract.directoryExtension, .observe, .none, "Status Report"),
        (Contract.directoryExtension, .identity, .none, "ErrorMessage Complaints"),
        (Contract.directoryExtension, .administer, .none, "Reload"),
        (Contract.accounts, .observe, .none, "Plugins"),
        (Contract.accounts, .administer, .none, "Schema Add"),
        (
            Contract.account, .observe, .none,
            "Plugin Id SecretsPresent SecretStorage Enabled Provider State Problem Text"
        ),
        (Contract.account, .administer, .none, "Settings Update SetSecret ClearSecret Retry Remove"),
        (Contract.audioSession, .observe, .none, "Active Call Provider Phase Agent"),
        (Contract.recents, .observe, .none, "Degraded UnreadMissed RetentionDays RetentionRows Changed"),
        (Contract.recents, .identity, .none, "List Get MarkRead MarkAllRead Delete Clear"),
        (Contract.recents, .control, .none, "CallBack"),
        (Contract.recents, .administer, .none, "SetRetention"),
        (Contract.favorites, .observe, .none, "Changed"),
        (Contract.favorites, .identity, .none, "List Add Remove Move"),
        (Contract.directory, .observe, .none, "Changed"),
        (Contract.directory, .identity, .none, "Identify FindPeople Contacts"),
        (Contract.rules, .observe, .none, "Changed"),
        (Contract.rules, .identity, .none, "Block Unblock Blocked Allow Disallow Allowed ReadRule"),
        (Contract.access, .administer, .none, "Grant Revoke Apps HasTier"),
        (StandardInterface.peer, .observe, .none, "Ping GetMachineId"),
        (StandardInterface.introspectable, .observe, .none, "Introspect"),
        // Each property has a rule of its own.
        (StandardInterface.properties, .observe, .none, "Get Set GetAll PropertiesChanged"),
        (
            StandardInterface.objectManager, .observe, .none,
            "GetManagedObjects InterfacesAdded InterfacesRemoved"
        ),
    ]

    private static let settingsTable: [Row] = [
        (
            Contract.callSystem, .administer, .none,
            "DefaultProviders EmergencyProviders DoNotDisturb DoNotDisturbRules"
        ),
        (Contract.plugin, .administer, .none, "Enabled"),
        (Contract.directoryExtension, .administer, .none, "Status"),
        (Contract.account, .administer, .none, "Enabled"),
    ]
}

extension Published {
    /// The names of the properties of which these are told.
    static func names(for audience: PropertyAudience) -> String {
        fields.filter { $0.audience == audience }.map(\.name).joined(separator: " ")
    }
}
