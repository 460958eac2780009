// A folder of files that exists as long as a test.

import Foundation

final class Folder {
    private let url: URL

    init(_ files: [String: Data]) throws {
        url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        for (name, contents) in files { try contents.write(to: url.appending(path: name)) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { name.isEmpty ? url.path : url.appending(path: name).path }
}
