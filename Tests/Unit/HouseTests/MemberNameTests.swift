// The names of methods, signals and properties that clients and the SDK write are those of the interfaces' XML.

import Foundation
import Testing

/// The names of D-Bus's own interfaces.
private let standardNames: Set<String> = [
    "Get", "Set", "GetAll", "PropertiesChanged", "GetManagedObjects", "InterfacesAdded", "InterfacesRemoved", "Ping",
]

/// Capitalized words that are not members: headings of `callctl --help`, and names.
private let otherWords: Set<String> = [
    "Status", "Calling", "People", "Desktop", "System", "Interfaces", "Other", "Somebody", "Linphone",
    "Template",
]

@Suite struct MemberNameTests {
    @Test(arguments: ["Sources/Client", "Sources/SDK"]) func inTheContract(folder: String) throws {
        let interfaces = try Repository.files(below: "dbus", endings: ["xml"]).flatMap(\.lines)
        let names = interfaces.compactMap { line in
            line.firstMatch(of: /<(?:method|signal|property) name="(\w+)"/).map { String($0.1) }
        }
        try #require(names.count > 100)
        let known = standardNames.union(names).union(otherWords)
        // These do not use the bus: code for ports has the words of iOS, a reader those of GNOME Calls,
        // desktops have names, and people read words.
        let others = ["/OpenCallKitPort/", "/GNOMECallsFile.swift", "/callctl/Keys/", "/CallClient/CallWords.swift"]
        for file in try Repository.files(below: folder) where !others.contains(where: file.path.contains) {
            for line in file.lines where !line.drop(while: \.isWhitespace).hasPrefix("//") {
                for word in line.matches(of: /"([A-Z][a-z][A-Za-z]*)"/).map({ String($0.1) }) {
                    #expect(known.contains(word), "\(file.path) has \"\(word)\", which no interface has")
                }
            }
        }
    }
}
