// The names on the bus. They are a contract: added to, never renamed.

public enum Contract {
    public static let busName = "org.opencallkit.CallSystem1"
    public static let rootPath = "/org/opencallkit/CallSystem1"
    public static let callsPath = rootPath + "/calls"
    public static let providersPath = rootPath + "/providers"
    public static let pluginsPath = rootPath + "/plugins"
    public static let audioPath = rootPath + "/audio"
    public static let directoryPath = rootPath + "/directory"
    public static let recentsPath = rootPath + "/recents"
    public static let favoritesPath = rootPath + "/favorites"
    /// The desktop agent's name, and its only object.
    public static let desktopBusName = "org.opencallkit.Desktop1"
    public static let desktopPath = "/org/opencallkit/Desktop1"
    public static let accountsPath = rootPath + "/accounts"
    public static let accessPath = rootPath + "/access"
    public static let secretsPath = rootPath + "/secrets"
    public static let storePath = rootPath + "/store"
    public static let contactsPath = rootPath + "/contacts"

    public static let callSystem = "org.opencallkit.CallSystem1"
    public static let call = "org.opencallkit.Call1"
    public static let callIdentity = "org.opencallkit.CallIdentity1"
    public static let provider = "org.opencallkit.Provider1"
    public static let providerDelegate = "org.opencallkit.ProviderDelegate1"
    public static let providerHost = "org.opencallkit.ProviderHost1"
    public static let plugin = "org.opencallkit.Plugin1"
    public static let audioSession = "org.opencallkit.AudioSession1"
    public static let recents = "org.opencallkit.Recents1"
    public static let favorites = "org.opencallkit.Favorites1"
    public static let directory = "org.opencallkit.Directory1"
    public static let directoryExtension = "org.opencallkit.DirectoryExtension1"
    public static let rules = "org.opencallkit.Rules1"
    /// Spoken on the store's private link only.
    public static let store = "org.opencallkit.Store1"
    /// Served by clients that screen calls.
    public static let screener = "org.opencallkit.Screener1"
    /// Served by the audio agent.
    public static let audioAgent = "org.opencallkit.AudioAgent1"
    /// Served by the desktop agent.
    public static let desktop = "org.opencallkit.Desktop1"
    public static let audioRoutes = "org.opencallkit.AudioRoutes1"
    public static let shortcuts = "org.opencallkit.Shortcuts1"
    /// Spoken on the private link of a worker that loads a directory.
    public static let directoryHost = "org.opencallkit.DirectoryHost1"
    /// Spoken on the private link of a reader of contacts.
    public static let contactsHost = "org.opencallkit.ContactsHost1"
    /// Spoken on a worker's private link only.
    public static let workerHost = "org.opencallkit.WorkerHost1"

    public static let access = "org.opencallkit.Access1"
    public static let accounts = "org.opencallkit.Accounts1"
    public static let account = "org.opencallkit.Account1"
    /// Served by workers on their private link only.
    public static let accountsDelegate = "org.opencallkit.AccountsDelegate1"
    public static let workerDelegate = "org.opencallkit.WorkerDelegate1"
    /// Spoken on the private link to callkit-secrets only.
    public static let secrets = "org.opencallkit.Secrets1"

    /// The version of the provider protocol; a plugin built for another one is incompatible.
    public static let protocolVersion: UInt32 = 1

    public static func path(of call: CallID) -> String { callsPath + "/" + call.pathElement }
    public static func path(of provider: ProviderID) -> String { providersPath + "/" + provider.rawValue }

    /// - Returns: nil if `path` is not that of a call.
    public static func call(at path: some StringProtocol) -> CallID? {
        guard path.hasPrefix(callsPath + "/") else { return nil }
        return CallID(pathElement: path.dropFirst(callsPath.count + 1))
    }

    /// - Returns: nil if `path` is not that of a provider.
    public static func provider(at path: some StringProtocol) -> ProviderID? {
        guard path.hasPrefix(providersPath + "/") else { return nil }
        return ProviderID(String(path.dropFirst(providersPath.count + 1)))
    }

    /// The provider that a text names by its id or its path.
    ///
    /// - Returns: nil if it is neither.
    public static func provider(named text: String) -> ProviderID? { provider(at: text) ?? ProviderID(text) }

    /// The id of the plugin at a path.
    ///
    /// - Returns: nil if `path` is not that of a plugin.
    public static func plugin(at path: some StringProtocol) -> String? {
        path.hasPrefix(pluginsPath + "/") ? String(path.dropFirst(pluginsPath.count + 1)) : nil
    }
}
