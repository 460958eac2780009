// Every registered provider: where it is reached and whose it is.

import CallModel
import DBus
import EventLoop

/// Whose a provider is: a plugin's, a connection's on the bus, or a guest's.
enum ProviderOwner: Hashable, Sendable {
    case plugin(String)
    case client(String)
    case guest(String)
}

@LoopActor
final class RegisteredProvider {
    let id: ProviderID
    let owner: ProviderOwner
    let peer: ProviderPeer
    let delegate: ObjectPath
    /// Where its ringtone is looked up; empty for an app.
    let resourceFolder: String
    /// Absolute name of the icon's file, once it was written.
    var icon = ""
    /// Ends with the registration.
    var watch: NameWatch?

    init(id: ProviderID, owner: ProviderOwner, peer: ProviderPeer, delegate: ObjectPath, resourceFolder: String) {
        self.id = id
        self.owner = owner
        self.peer = peer
        self.delegate = delegate
        self.resourceFolder = resourceFolder
    }
}

@LoopActor
final class ProviderRegistry {
    /// Of all apps together.
    static let maximum = 64
    private(set) var all: [ProviderID: RegisteredProvider] = [:]

    subscript(id: ProviderID) -> RegisteredProvider? {
        get { all[id] }
        set { all[id] = newValue }
    }

    func owned(by owner: ProviderOwner) -> [RegisteredProvider] {
        all.values.filter { $0.owner == owner }.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    func areOwned(by owner: ProviderOwner) -> Bool {
        for provider in all.values where provider.owner == owner { return true }
        return false
    }

    /// The id that a provider should get. Those of apps begin with `app_`, so that no app gets the id of a plugin, and with
    /// it the favorites and calls back that mean the plugin.
    static func wish(_ name: String, _ key: String, _ owner: ProviderOwner) -> String {
        let wish = key.isEmpty ? name : "\(name)_\(key)"
        return switch owner {
        case .client: "app_\(wish)"
        case .plugin, .guest: wish.hasPrefix("app_") ? "plugin_\(wish)" : wish
        }
    }

    /// An id for a new provider: the wish, or the wish with the first number that is free. A plugin that comes back
    /// gets the id it had.
    ///
    /// - Parameter reserved: the ids of the other plugins, whether or not they run.
    func id(
        for wish: String, owner: ProviderOwner, delegate: ObjectPath, except reserved: Set<String>
    ) -> ProviderID? {
        if let former = owned(by: owner).first(where: { $0.delegate == delegate }) { return former.id }
        let legal = wish.unicodeScalars.prefix(64).map {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) ? Character($0) : "_"
        }
        let base = legal.isEmpty ? "provider" : String(legal)
        for number in 1...all.count + reserved.count + 1 {
            let text = number == 1 ? base : "\(base)_\(number)"
            if let id = ProviderID(text), all[id] == nil, !reserved.contains(text) { return id }
        }
        return nil
    }
}
