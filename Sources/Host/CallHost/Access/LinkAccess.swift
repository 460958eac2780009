// What a plugin may do over its link: report and request what concerns its own calls, see the calls of the machine without
// their identities, and have directories loaded. What no rule allows is refused.

import CallModel
import CallWire
import DBus

/// Whom a member serves on a plugin's link.
enum LinkAccess: Sendable {
    /// Every plugin, on every object.
    case everyPlugin
    /// The plugin whose call the object is.
    case ownCall
    /// The plugin whose provider the object is.
    case ownProvider
    /// No plugin: it is for the user's programs, on the bus.
    case nobody

    /// The rule for a member; nil if there is none, which counts as `nobody`. A property is never set over a link.
    static func of(_ member: String, _ interface: String) -> LinkAccess? { rules[interface]?[member] }

    /// Every member that has a rule, by interface.
    static var members: [String: Set<String>] { rules.mapValues { Set($0.keys) } }

    private static let rules: [String: [String: LinkAccess]] = {
        var rules: [String: [String: LinkAccess]] = [:]
        for (interface, rule, members) in table {
            for member in members.split(separator: " ") { rules[interface, default: [:]][String(member)] = rule }
        }
        return rules
    }()

    private static let table: [(interface: String, rule: LinkAccess, members: String)] = [
        (Contract.workerHost, .everyPlugin, "Hello Observe ReportSecondAnswer ReportAccount"),
        // The core refuses a plugin's transactions about the calls of others.
        (Contract.callSystem, .everyPlugin, "RegisterProvider RequestTransaction SimulateTransaction"),
        (
            Contract.callSystem, .nobody,
            """
            StartCall StartCallWith FindProviders EndCalls SilenceRinging SetQuiet RegisterScreener \
            UnregisterScreener RegisterAudioAgent UnregisterAudioAgent ForgetPlugin Version ActiveCall Ringing SuggestedResume \
            Region Features Health QuietSources DefaultProviders EmergencyProviders Deadlines Policy DoNotDisturb DoNotDisturbRules
            """
        ),
        (
            Contract.call, .ownCall,
            """
            Answer AnswerWith End Reject SetHeld SetMuted GroupWith Ungroup PlayDTMF SendWaitingDigits SetTranslating \
            Explain
            """
        ),
        // The same that Observe shows.
        (Contract.call, .everyPlugin, PublishedCall.names(for: .everybody)),
        (Contract.callIdentity, .ownCall, PublishedCall.names(for: .trusted)),
        (Contract.provider, .ownProvider, PublishedProvider.names(for: .everybody)),
        (Contract.provider, .nobody, "PerformCustomAction SendServiceCode ReplyToServiceCode CancelServiceCode"),
        (
            Contract.providerHost, .ownProvider,
            """
            ReportNewIncomingCall ReportOngoingCall ReportCallUpdated ReportCallEnded ReportOutgoingCallStartedConnecting \
            ReportOutgoingCallConnected UpdateConfiguration Invalidate
            """
        ),
        (
            Contract.plugin, .nobody,
            """
            Path Kinds Enabled State Error Pid SDKVersion Version Restarts StartReason Needs MayUse Reasons Granted \
            Sandbox SandboxGaps Problems Upgrade UpgradeError UpgradeVersion Restart Rescan Grant Revoke Forget
            """
        ),
        // An app's directory is often a plugin of its own.
        (Contract.directoryExtension, .everyPlugin, "Status Report Reload"),
        (Contract.directoryExtension, .nobody, "ErrorMessage Complaints"),
        // A plugin is handed its own accounts, with their secrets.
        (Contract.accounts, .nobody, "Schema Add Plugins"),
        (
            Contract.account, .nobody,
            """
            Plugin Id Settings SecretsPresent SecretStorage Enabled Provider State Problem Text Update SetSecret ClearSecret \
            Retry Remove
            """
        ),
        (Contract.access, .nobody, "Grant Revoke Apps HasTier"),
        (Contract.audioSession, .nobody, "Active Call Provider Phase Agent"),
        (
            Contract.recents, .nobody,
            """
            List Get MarkRead MarkAllRead Delete Clear SetRetention CallBack Degraded UnreadMissed RetentionDays \
            RetentionRows
            """
        ),
        (Contract.favorites, .nobody, "List Add Remove Move"),
        (Contract.directory, .nobody, "Identify FindPeople Contacts"),
        (Contract.rules, .nobody, "Block Unblock Blocked Allow Disallow Allowed ReadRule"),
        (StandardInterface.peer, .everyPlugin, "Ping"),
        (StandardInterface.peer, .nobody, "GetMachineId"),
        (StandardInterface.introspectable, .nobody, "Introspect"),
        // Each property has a rule of its own.
        (StandardInterface.properties, .everyPlugin, "Get Set GetAll"),
        (StandardInterface.objectManager, .nobody, "GetManagedObjects"),
    ]
}
