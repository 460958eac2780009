// Files stay small, unsafe code stays where it belongs, and nothing is left unfinished.

import Testing

/// Where else unsafe code stands, of which kind, and why.
private let unsafeExceptions: [(path: String, words: Set<String>, reason: String)] = [
    (
        "Sources/Store/CallDirectory/Bytes.swift", ["UnsafeRaw", "UnsafeMutable", "withUnsafe", "@unchecked Sendable"],
        "the bytes of a mapped file"
    ),
    (
        "Sources/Store/CallDirectory/WordFile.swift", ["UnsafeRaw", "UnsafeMutable", "withUnsafe"],
        "what is written to one"
    ),
    (
        "Sources/Store/SQLite/", ["OpaquePointer", "UnsafePointer", "nonisolated(unsafe)"],
        "the connection and the statements of libsqlite3"
    ),
    (
        "Sources/SDK/OpenCallKit/", ["@unchecked Sendable"],
        "CallKit's classes have subclasses and delegates, which keep to their queue as the app promises"
    ),
    (
        "Sources/Desktop/Sound/",
        [
            "UnsafeRaw", "UnsafeMutable", "UnsafePointer", "OpaquePointer", "Unmanaged", "nonisolated(unsafe)",
            "withUnsafe",
        ],
        "the callbacks and buffers of libpulse and libsndfile"
    ),
    (
        "Sources/Phone/Widgets/",
        [
            "UnsafeRaw", "UnsafeMutable", "UnsafePointer", "OpaquePointer", "Unmanaged", "unsafeBitCast",
            "nonisolated(unsafe)",
        ],
        "the objects and signals of GTK"
    ),
    ("Plugins/ListDirectory/ListFolder.swift", ["withUnsafe"], "the names of readdir"),
    ("Plugins/ListDirectory/RecordReader.swift", ["OpaquePointer"], "libcsv's parser"),
    ("Plugins/SIP/Engine", ["UnsafePointer", "UnsafeMutable"], "the texts of the SIP engine's commands and events"),
]

@Suite struct FileTests {
    @Test func sizes() throws {
        let files = try ["Sources", "Plugins"].flatMap {
            try Repository.files(below: $0, endings: ["swift", "c", "cpp", "h"])
        }
        try #require(!files.isEmpty)
        let others = try ["Tests", "Demo", "Examples", "Benchmarks", "Scripts"].flatMap {
            try Repository.files(below: $0, endings: ["swift", "c", "cpp", "h", "py", "js", "sh"])
        }
        for file in files + others { #expect(file.lines.count <= 500, "\(file.path) is larger than one idea") }
    }

    /// A decision only reads. What follows from it is carried out elsewhere.
    @Test func decisionsDoNotMutate() throws {
        let files = try Repository.files(below: "Sources/Core/CallCore/Standing")
        try #require(files.contains { $0.name == "Standing.swift" })
        for file in files {
            for (number, line) in file.lines.enumerated() where !line.contains("//") {
                let writes = line.contains("mutating ") || line.contains("inout ")
                #expect(!writes, "\(file.path):\(number + 1) mutates: a decision only reads")
            }
        }
    }

    /// What is there once in a process has the name `shared` only where CallKit and its neighbors have it, and the loop.
    @Test func sharedObjects() throws {
        let allowed = [
            "Sources/Ground/EventLoop/", "/AVAudioSession.swift", "/AVAudioApplication.swift",
            "/CXCallDirectoryManager.swift",
        ]
        for file in try Repository.files(below: "Sources") + Repository.files(below: "Plugins")
        where !allowed.contains(where: file.path.contains) {
            for (number, line) in file.lines.enumerated() {
                #expect(
                    !line.contains(/static (let|var) shared/), "\(file.path):\(number + 1): who owns it hands it over")
            }
        }
    }

    /// The host's parts are joined in one file; none of them reaches the others through the whole.
    @Test func partsDoNotHoldTheHost() throws {
        for file in try Repository.files(below: "Sources/Host/CallHost") where file.name != "CallSystemHost.swift" {
            for (number, line) in file.lines.enumerated() {
                #expect(!line.contains(/\bCallSystemHost\b/), "\(file.path):\(number + 1): a part holds the host")
            }
        }
    }

    @Test func unsafeCode() throws {
        let words = [
            "UnsafeMutable", "UnsafePointer", "UnsafeRaw", "UnsafeBuffer", "OpaquePointer", "unsafeBitCast",
            "Unmanaged", "@unchecked Sendable", "nonisolated(unsafe)", "withUnsafe", "@_silgen_name",
        ]
        let home = ["Sources/Ground/"]
        var unused = Set(unsafeExceptions.map(\.path))
        for file in try Repository.files(below: "Sources") + Repository.files(below: "Plugins") {
            guard !home.contains(where: file.path.hasPrefix) else { continue }
            let exceptions = unsafeExceptions.filter { file.path.hasPrefix($0.path) }
            for (number, line) in file.lines.enumerated() {
                let found = words.filter(line.contains)
                guard !found.isEmpty else { continue }
                let allowed = exceptions.filter { exception in found.allSatisfy(exception.words.contains) }
                unused.subtract(allowed.map(\.path))
                #expect(
                    !allowed.isEmpty,
                    "\(file.path):\(number + 1) has \(found): unsafe code stays in EventLoop and DBus")
            }
        }
        #expect(unused.isEmpty, "nothing unsafe is left there: \(unused.sorted())")
    }

    @Test func traps() throws {
        let words = ["fatalError(", "try!", "as!", "preconditionFailure("]
        // The ground may give up where libc or libdbus cannot go on either: out of memory, a call from another thread.
        let ground = ["Sources/Ground/"]
        for file in try Repository.files(below: "Sources") + Repository.files(below: "Plugins") {
            let isGround = ground.contains { file.path.hasPrefix($0) }
            let forbidden = isGround ? Array(words.dropLast()) : words
            for (number, line) in file.lines.enumerated() where !line.contains("//") {
                let found = forbidden.filter(line.contains)
                #expect(found.isEmpty, "\(file.path):\(number + 1) has \(found): nothing from outside may trap")
            }
        }
    }

    @Test func titles() throws {
        for file in try Repository.files(below: "Sources") + Repository.files(below: "Plugins") {
            #expect(file.lines.first?.hasPrefix("//") == true, "\(file.path) has no title line")
        }
    }
}
