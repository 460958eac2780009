// Which clients screen calls, and where they are asked.

import CallCore
import DBus
import EventLoop

/// A client that screens calls.
@LoopActor
final class Screener {
    let id: ScreenerID
    let client: String
    let owner: Owner
    let path: ObjectPath
    let channel: any MessageChannel
    var watch: NameWatch?

    init(_ id: ScreenerID, client: String, owner: Owner, path: ObjectPath, channel: any MessageChannel) {
        self.id = id
        self.client = client
        self.owner = owner
        self.path = path
        self.channel = channel
    }
}

/// The screeners by the numbers under which the core knows them.
@LoopActor
final class ScreenerBook {
    static let maximum = 16
    /// How many one owner may have.
    static func share(of owner: Owner) -> Int { owner.isModest ? 2 : 4 }
    private var screeners: [ScreenerID: Screener] = [:]
    /// Also of those that have left, for what they said of calls; the last ones.
    private var names: [(id: ScreenerID, name: String)] = []
    private static let rememberedNames = 128
    private var latest: UInt64 = 0

    var all: [Screener] { screeners.values.sorted { $0.id.number < $1.id.number } }

    subscript(id: ScreenerID) -> Screener? { screeners[id] }

    /// What people know a screener by; empty if it gave no name.
    func name(of id: ScreenerID) -> String { names.last { $0.id == id }?.name ?? "" }

    func find(_ client: String, _ path: ObjectPath) -> Screener? {
        screeners.values.first { $0.client == client && $0.path == path }
    }

    func add(name: String, client: String, owner: Owner, path: ObjectPath, channel: any MessageChannel) -> Screener {
        latest += 1
        let screener = Screener(ScreenerID(latest), client: client, owner: owner, path: path, channel: channel)
        screeners[screener.id] = screener
        names.append((screener.id, name))
        if names.count > Self.rememberedNames { names.removeFirst() }
        return screener
    }

    func remove(_ id: ScreenerID) { screeners.removeValue(forKey: id)?.watch?.cancel() }
}
