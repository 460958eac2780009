// TemporaryFolder: a folder that is removed with its owner.

internal import Foundation

/// An empty folder, removed with its contents when the object is released.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "ock-test-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path(percentEncoded: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    public func file(_ name: String) -> String {
        "\(path)/\(name)"
    }

    public func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
    }

    public func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: file(name))
    }
}
