// Every registered provider: where it is reached and whose it is.

import CallCore
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
    /// The id that its plugin's name and its key make, without a number.
    let wish: String
    let owner: ProviderOwner
    /// Whose share it counts towards.
    let share: Owner
    let peer: ProviderPeer
    let delegate: ObjectPath
    /// Where its ringtone is looked up; empty for an app.
    let resourceFolder: String
    /// Absolute name of the icon's file, once it was written.
    var icon = ""
    /// Ends with the registration.
    var watch: NameWatch?

    init(
        id: ProviderID, wish: String, owner: ProviderOwner, share: Owner, peer: ProviderPeer, delegate: ObjectPath,
        resourceFolder: String
    ) {
        self.id = id
        self.wish = wish
        self.owner = owner
        self.share = share
        self.peer = peer
        self.delegate = delegate
        self.resourceFolder = resourceFolder
    }
}

@LoopActor
final class ProviderRegistry {
    /// Of all apps and programs together.
    static let maximum = 64
    /// How many an owner may have, whatever it connects with. A plugin may have many accounts.
    static func maximum(of owner: Owner) -> Int { owner.isModest ? 8 : 16 }
    private(set) var all: [ProviderID: RegisteredProvider] = [:]

    subscript(id: ProviderID) -> RegisteredProvider? {
        get { all[id] }
        set { all[id] = newValue }
    }

    func owned(by owner: ProviderOwner) -> [RegisteredProvider] {
        all.values.filter { $0.owner == owner }.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// The providers that count towards a share.
    func count(of share: Owner) -> Int { all.values.count { $0.share == share } }

    func areOwned(by owner: ProviderOwner) -> Bool {
        for provider in all.values where provider.owner == owner { return true }
        return false
    }

    /// The prefix of the ids of a sandboxed app's providers. Each app has another prefix, so that it cannot get the id
    /// of a provider of another app or of a program. An app that cannot be identified, or whose id is too long, has
    /// another prefix for each connection.
    static func idPrefix(of app: ClientIdentity, _ client: String) -> String {
        if case .app(let id) = app.kind, id.escaped.utf8.count <= longestEscapedApp { return "app_\(id.escaped)__" }
        return "app_\(client.escaped)__"
    }

    /// With the rest of the prefix, a name and a number, this fits into the 128 characters of an id.
    private static let longestEscapedApp = 80

    /// The id that a provider had before: in a plugin's worker that of the one with its key, also if the plugin makes its
    /// providers in another order now; otherwise that of the one with its delegate.
    ///
    /// - Parameter isReady: whether a provider is there and takes calls, so that its id is not free.
    func former(
        _ wish: String, owner: ProviderOwner, delegate: ObjectPath, isReady: (ProviderID) -> Bool
    ) -> ProviderID? {
        let owned = owned(by: owner)
        guard case .plugin = owner else { return owned.first { $0.delegate == delegate }?.id }
        let free = owned.filter { $0.wish == wish && !isReady($0.id) }
        return (free.first { $0.delegate == delegate } ?? free.first)?.id
    }
}

extension String {
    /// The letters and digits of this text, and all other bytes as `_` and two hexadecimal digits.
    fileprivate var escaped: String {
        utf8.map { byte in
            if byte.isASCIIAlphanumeric { return String(UnicodeScalar(byte)) }
            return "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

/// Counts the updates of each owner.
@LoopActor
final class UpdateStorms {
    private let limit: RateLimit
    private var limits = RateLimits()
    private var noted: Set<Owner> = []

    enum Verdict { case calm, begins, goesOn }

    /// - Parameter most: how many updates an owner may report in a second; ten times as many at once.
    init(most: Int) {
        limit = RateLimit(burst: UInt64(10 * most), every: UInt64(1_000_000 / most))
    }

    func count(_ owner: Owner, at now: Instant) -> Verdict {
        noted = noted.filter { !limits.isCalm($0, at: now) }
        if limits.take(owner, limit, at: now) { return .calm }
        return noted.insert(owner).inserted ? .begins : .goesOn
    }
}
