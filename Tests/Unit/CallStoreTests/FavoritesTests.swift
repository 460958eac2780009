// Changes of the favorites, in the file and in memory.

import CallModel
import EventLoop
import Foundation
import Logging
import Numbers
import SQLite
import Synchronization
import Testing

@testable import CallStore

@Suite @LoopActor struct FavoritesTests {
    private let folder = NSTemporaryDirectory() + "opencallkit-favorites-\(UUID().uuidString)"

    private func favorites() -> (Favorites, Storage) {
        let storage = Storage(folder: StoreFolder(folder), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let favorites = Favorites(storage: storage, plan: NumberPlan(region: "SE"))
        return (favorites, storage)
    }

    private func result<Value: Sendable>(_ body: (@escaping Completion<Value>) -> Void) async throws -> Value {
        try await withCheckedContinuation { (done: CheckedContinuation<Result<Value, CallError>, Never>) in
            body { done.resume(returning: $0) }
        }.get()
    }

    /// The thousandth favorite costs what the first does: no change reads the others.
    @Test func addingReadsNoOtherFavorite() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (favorites, storage) = favorites()
        _ = try await result { favorites.all(then: $0) }
        let statements = StatementLog()
        try await result { storage.write({ $0.onStatement = { statements.add($0) } }, then: $0) }
        var counts: [Int] = []
        for number in 0..<FavoriteTable.maximum {
            let handle = try Handle(type: .generic, value: "number-\(number)")
            _ = try await result { favorites.add(handle, "Name \(number)", "", then: $0) }
            counts.append(statements.take().count { $0.contains("favorite") })
        }
        #expect(counts.first == counts.last)
        #expect(Set(counts) == [3], "a look for the same one, a count, an insertion")
        #expect(try await result { favorites.all(then: $0) }.count == FavoriteTable.maximum)
        storage.close {}
    }

    /// What is in memory is what is in the file, after any changes.
    @Test func memoryFollowsTheFile() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (favorites, storage) = favorites()
        var ids: [Int64] = []
        for name in ["a", "b", "c", "d"] {
            let handle = try Handle(type: .generic, value: name)
            ids.append(try await result { favorites.add(handle, name.uppercased(), "", then: $0) })
        }
        let again = try Handle(type: .generic, value: "b")
        #expect(try await result { favorites.add(again, "Bee", "", then: $0) } == ids[1])
        _ = try await result { favorites.move(ids[3], to: 0, then: $0) }
        _ = try await result { favorites.remove(ids[0], then: $0) }
        let kept = try await result { favorites.all(then: $0) }
        #expect(kept.map(\.name) == ["D", "Bee", "C"])
        #expect(try await result { storage.read({ try FavoriteTable.list($0) }, then: $0) } == kept)
        await #expect(throws: CallError.self) { try await result { favorites.remove(99, then: $0) } }
        #expect(try await result { favorites.all(then: $0) } == kept)
        storage.close {}
    }
}

/// The statements that were executed since they were last taken.
private final class StatementLog: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}
