// Favorites: the user's favorites, in memory and in the file.

internal import CallModel
internal import EventLoop
internal import Numbers
internal import SQLite

/// Keeps all favorites in memory, for look-ups. A change goes to the file first.
@LoopActor
final class Favorites: CallerSource {
    private let storage: Storage
    private let plan: NumberPlan
    /// Nil until the file has been read.
    private var list: [Favorite]?
    private var byHandle: [String: Favorite] = [:]
    /// Called when the list has changed.
    var onChange: @LoopActor () -> Void = {}

    init(storage: Storage, plan: NumberPlan) {
        self.storage = storage
        self.plan = plan
    }

    /// Reads the file. If that fails, the favorites in memory stay.
    func load() { read { _ in } }

    /// Passes the favorites to `then`, in their order, once the file has been read.
    func all(then: @escaping Completion<[Favorite]>) {
        if let list { then(.success(list)) } else { read(then: then) }
    }

    private func read(then: @escaping Completion<[Favorite]>) {
        // The region may be another one than when the file was written.
        storage.read { [plan] in
            let kept = try FavoriteTable.list($0)
            return (kept, kept.map { $0.normalized(by: plan) })
        } then: { [weak self] result in
            if case .success(let (kept, list)) = result {
                self?.replace(list)
                let stale = zip(kept, list).filter { $0 != $1 }.map(\.1)
                if !stale.isEmpty { self?.storage.write({ try FavoriteTable.normalize(stale, $0) }, then: { _ in }) }
            }
            then(result.map(\.1))
        }
    }

    func note(_ handle: Handle?, in facts: inout LookUpFacts) {
        guard let handle, let favorite = byHandle[facts.normalized], isSame(favorite.handle, handle) else { return }
        facts.isFavorite = true
        facts.merge(name: favorite.name, from: .favorite)
    }

    /// The provider that a favorite is called with; nil if there is none.
    func provider(of handle: Handle) -> String? {
        guard let favorite = byHandle[plan.normalized(handle)], isSame(favorite.handle, handle) else { return nil }
        return favorite.provider.isEmpty ? nil : favorite.provider
    }

    /// Distinguishes only e-mail addresses: providers may report a number as generic.
    private func isSame(_ one: Handle, _ other: Handle) -> Bool {
        (one.type == .emailAddress) == (other.type == .emailAddress)
    }

    func add(_ handle: Handle, _ name: String, _ provider: String, then: @escaping Completion<Int64>) {
        let normalized = plan.normalized(handle)
        let name = name.displayable
        change(then: then) { database in
            let id: Int64
            if let same = try FavoriteTable.id(of: handle, normalized, provider, database) {
                try FavoriteTable.rename(same, name, database)
                id = same
            } else {
                let count = try FavoriteTable.count(database)
                guard count < FavoriteTable.maximum else {
                    throw CallError(.limitsExceeded, "there are \(count) favorites, at most \(FavoriteTable.maximum)")
                }
                id = try FavoriteTable.add(handle, normalized, name, provider, database)
            }
            return Change(id) { list in
                if let index = list.firstIndex(where: { $0.id == id }) {
                    list[index].name = name
                } else {
                    list.append(
                        Favorite(id: id, handle: handle, normalized: normalized, name: name, provider: provider))
                }
            }
        }
    }

    func remove(_ id: Int64, then: @escaping Completion<Int64>) {
        change(then: then) { database in
            try Self.check(id, in: try FavoriteTable.ids(database))
            try FavoriteTable.remove(id, database)
            return Change(id) { list in list.removeAll { $0.id == id } }
        }
    }

    func move(_ id: Int64, to position: Int, then: @escaping Completion<Int64>) {
        change(then: then) { database in
            var ids = try FavoriteTable.ids(database)
            try Self.check(id, in: ids)
            ids.removeAll { $0 == id }
            ids.insert(id, at: min(position, ids.count))
            try FavoriteTable.order(ids, database)
            let places = Dictionary(uniqueKeysWithValues: zip(ids, 0...))
            return Change(id) { list in list.sort { places[$0.id, default: 0] < places[$1.id, default: 0] } }
        }
    }

    nonisolated private static func check(_ id: Int64, in ids: [Int64]) throws(CallError) {
        guard ids.contains(id) else { throw CallError(.invalidArguments, "no favorite \(id)") }
    }

    /// What a change of the file means for the list in memory.
    private struct Change: Sendable {
        let id: Int64
        let apply: @Sendable (inout [Favorite]) -> Void

        init(_ id: Int64, apply: @escaping @Sendable (inout [Favorite]) -> Void) {
            self.id = id
            self.apply = apply
        }
    }

    /// Changes the file, and then the favorites in memory. A refused change is not a failure of the file.
    private func change(then: @escaping Completion<Int64>, _ body: @escaping @Sendable (Database) throws -> Change) {
        storage.write { database -> Result<Change, CallError> in
            do {
                return .success(try body(database))
            } catch let refusal as CallError {
                return .failure(refusal)
            }
        } then: { [weak self] result in
            let answer = result.flatMap { $0 }
            if case .success(let change) = answer { self?.apply(change) }
            then(answer.map(\.id))
        }
    }

    private func apply(_ change: Change) {
        // What is not in memory yet is read with the change in it.
        guard var list else { return load() }
        change.apply(&list)
        replace(list)
    }

    private func replace(_ new: [Favorite]) {
        guard new != list else { return }
        list = new
        byHandle = Dictionary(new.map { ($0.normalized, $0) }) { first, _ in first }
        onChange()
    }
}
