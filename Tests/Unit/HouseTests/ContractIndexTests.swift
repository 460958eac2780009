// The index of the contract, dbus/README.md, names each file of its folders once.

import Foundation
import Testing

@Suite struct ContractIndexTests {
    @Test(arguments: [("dbus", "| file |"), ("dbus/private", "| file in `private/` |")])
    func everyFileIsListed(_ folder: String, _ head: String) throws {
        let index = try String(contentsOf: Repository.root.appending(path: "dbus/README.md"), encoding: .utf8)
        let table = try #require(index.components(separatedBy: "\n\n").first { $0.hasPrefix(head) })
        let listed = table.split(separator: "\n").dropFirst(2).flatMap { row in
            row.split(separator: "|")[0].matches(of: /`([^`]+)`/).map { String($0.1) }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: folder).path)
        #expect(listed.sorted() == names.filter { $0.hasSuffix(".xml") || $0.hasSuffix(".in") }.sorted())
    }
}
