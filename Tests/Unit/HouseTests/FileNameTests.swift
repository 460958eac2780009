// A file's name says what is in it, and means one file.

import Testing

@Suite struct FileNameTests {
    /// `Foo+Bar.swift` declares another type, conforms Foo to a protocol of another module, or adds to a Foo of another
    /// module. It is never a part of a type that stands elsewhere in its module.
    @Test func plus() throws {
        let files = try Repository.files(below: "Sources") + Repository.files(below: "Plugins")
        let types = Dictionary(grouping: files, by: Self.module).mapValues { files in
            Set(files.flatMap(\.lines).compactMap { Self.declaration(in: $0)?.name })
        }
        try #require(types.count > 20)
        for file in files where file.name.contains("+") {
            let subject = String(file.name.prefix { $0 != "+" })
            guard let own = types[Self.module(of: file)], own.contains(subject) else {
                continue
            }
            let declares = file.lines.compactMap(Self.declaration).contains { !$0.isPrivate && $0.name != subject }
            let conforms = file.lines.flatMap(Self.conformances).contains { !own.contains($0) }
            #expect(declares || conforms, "\(file.path) is a part of \(subject): a type stands in one file")
        }
    }

    /// Of source files; the tools of the language and of plugins say what the others are called.
    @Test func unique() throws {
        let endings: Set = ["swift", "c", "cpp", "h"]
        let files =
            try Repository.files(below: "Sources", endings: endings)
            + Repository.files(below: "Plugins", endings: endings)
        for (name, homes) in Dictionary(grouping: files, by: \.name) where homes.count > 1 {
            Issue.record("\(name) is \(homes.map(\.path).joined(separator: " and "))")
        }
    }

    private static func module(of file: SourceFile) -> String {
        let folders = file.path.split(separator: "/").dropLast()
        return folders.prefix(folders.first == "Sources" ? 3 : 2).joined(separator: "/")
    }

    private static func declaration(in line: String) -> (name: String, isPrivate: Bool)? {
        let declared =
            /^\s*(?:@\w+ )*((?:\w+ )*)(?:struct|class|enum|protocol|actor|typealias) ([A-Z]\w*)/
        return line.firstMatch(of: declared).map { (String($0.2), $0.1.contains("private")) }
    }

    /// The protocols that the extension of this line conforms to.
    private static func conformances(in line: String) -> [String] {
        guard line.contains("extension "), let list = line.firstMatch(of: /extension [\w.]+: ([^{]+)/)?.1 else {
            return []
        }
        return list.prefix { $0 != "{" }.split(separator: " where ")[0].split(separator: ",").map {
            $0.filter { $0.isLetter || $0.isNumber }
        }
    }
}
