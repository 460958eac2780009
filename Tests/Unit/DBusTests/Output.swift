// Output: reads the output of a child process.

import Glibc

final class Output {
    private let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CancellationError() }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
    }

    func closeWriting() {
        close(writing)
    }

    /// The whole output; blocks until every writer has closed its end.
    var text: String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var all: [UInt8] = []
        while case let count = read(reading, &bytes, bytes.count), count > 0 { all += bytes[..<count] }
        return String(decoding: all, as: UTF8.self)
    }
}
