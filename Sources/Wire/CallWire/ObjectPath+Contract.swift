// The object paths of the contract, as values that a message takes.

public import CallModel
public import DBus

extension ObjectPath {
    public static let system = path(Contract.rootPath)
    public static let calls = path(Contract.callsPath)
    public static let providers = path(Contract.providersPath)
    public static let plugins = path(Contract.pluginsPath)
    public static let audio = path(Contract.audioPath)
    public static let recents = path(Contract.recentsPath)
    public static let favorites = path(Contract.favoritesPath)
    public static let directory = path(Contract.directoryPath)
    public static let store = path(Contract.storePath)
    public static let accounts = path(Contract.accountsPath)
    public static let access = path(Contract.accessPath)
    public static let secrets = path(Contract.secretsPath)
    public static let contacts = path(Contract.contactsPath)

    public static func call(_ id: CallID) -> ObjectPath { path(Contract.path(of: id)) }
    public static func provider(_ id: ProviderID) -> ObjectPath { path(Contract.path(of: id)) }
    public static func plugin(_ id: String) -> ObjectPath { plugins.appending(id) ?? .root }

    private static func path(_ text: String) -> ObjectPath { ObjectPath(text) ?? .root }
}
