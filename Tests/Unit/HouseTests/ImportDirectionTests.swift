// Imports point up the list of rooms, never down; what else a module must not import has its reason here.

import Testing

/// The rooms from the ground up, and the modules in each: a module imports only what stands before it.
private let rooms: [(name: String, modules: [String])] = [
    ("Ground", ["CSystem", "CDBus", "CSandbox", "EventLoop", "Files", "Sandbox", "DBus"]),
    ("Core", ["CallModel", "CallCore", "CallScenario"]),
    ("Wire", ["CallWire", "WorkerLaunch"]),
    (
        "Store",
        [
            "CSQLite", "SQLite", "CPhoneNumber", "CUnicode", "CVCard", "CLibsecret", "CSecret", "Numbers",
            "CallDirectory",
            "CallStore", "callkit-store", "callkit-contacts", "callkit-secrets",
        ]
    ),
    ("Host", ["CallHost", "callkitd", "callkit-worker"]),
    ("SDK", ["OpenCallKit", "OpenCallKitPort", "CallStage", "OpenCallKitTestKit"]),
    ("Client", ["CCSV", "CallClient", "Certification", "callctl"]),
    ("Desktop", ["CSound", "Sound", "DesktopAgent", "callkit-desktop"]),
    ("Phone", ["CAdw", "Widgets", "callkit-phone"]),
]

private struct Forbidden: CustomTestStringConvertible {
    let importer: String
    let imported: Set<String>
    let reason: String

    var testDescription: String { "\(importer) does not import \(imported.sorted().joined(separator: ", "))" }
}

/// What the order of the rooms would allow and the architecture does not.
private let exceptions: [Forbidden] =
    [
        Forbidden(importer: "CallModel", imported: ground, reason: "plain values need nothing"),
        Forbidden(importer: "CallCore", imported: ground.union(["Glibc"]), reason: "it decides: no I/O, no clock"),
        Forbidden(
            importer: "CallScenario", imported: ground.union(["Glibc"]), reason: "it plays with the core alone"),
        Forbidden(importer: "CallWire", imported: ["CallCore"], reason: "both sides of the protocol share it"),
        Forbidden(importer: "WorkerLaunch", imported: ["CallCore"], reason: "programs that start workers share it"),
        Forbidden(importer: "Numbers", imported: ground.union(["CallCore"]), reason: "it knows handles, nothing else"),
        Forbidden(
            importer: "CallDirectory", imported: ground.union(["CallCore"]), reason: "it is a file format and rules"),
        Forbidden(
            importer: "SQLite", imported: all.subtracting(["CSQLite"]),
            reason: "it runs statements, and knows nothing of calls"),
        Forbidden(importer: "CallStore", imported: ["CallCore"], reason: "it is asked and told by messages"),
        Forbidden(
            importer: "callkit-contacts", imported: ["CallCore", "CallStore", "SQLite"],
            reason: "it reads files of strangers and must have nothing to lose"),
        Forbidden(
            importer: "callkit-secrets",
            imported: store.union(["CallCore", "WorkerLaunch", "Logging"]).subtracting(["CSecret", "callkit-secrets"]),
            reason: "it keeps secrets, starts nothing and writes no log"),
        Forbidden(importer: "CallHost", imported: store, reason: "the store is a process of its own"),
        Forbidden(importer: "callkitd", imported: store.union(["CallCore"]), reason: "wiring only"),
        Forbidden(
            importer: "OpenCallKit", imported: store.union(["CallCore", "CallHost", "WorkerLaunch"]),
            reason: "the SDK talks to the host in messages only"),
        Forbidden(
            importer: "OpenCallKitPort", imported: all.subtracting(["OpenCallKit"]),
            reason: "what stands beside CallKit needs the SDK only"),
        Forbidden(importer: "CallStage", imported: store.union(["OpenCallKit", "Glibc"]), reason: "no I/O, no clock"),
        Forbidden(
            importer: "OpenCallKitTestKit", imported: store.union(["WorkerLaunch", "Testing"]),
            reason: "it joins SDK and host in memory, for any test library"),
        Forbidden(
            importer: "Certification", imported: store.union(["CallCore", "CallHost", "OpenCallKit"]),
            reason: "its scripted host decides nothing"),
        Forbidden(
            importer: "callctl", imported: store.union(["CallCore", "CallHost", "CallWire", "OpenCallKit"]),
            reason: "it reaches live calls over the bus only"),
        Forbidden(
            importer: "Sound", imported: all.subtracting(["CSound", "EventLoop", "Files"]),
            reason: "it plays, and knows nothing of calls"),
        Forbidden(
            importer: "DesktopAgent",
            imported: store.union(["CallCore", "CallHost", "CallWire", "OpenCallKit", "Certification", "callctl"]),
            reason: "it reaches calls over the bus only"),
        Forbidden(
            importer: "Widgets", imported: all.subtracting(["CAdw", "EventLoop"]),
            reason: "it draws, and knows nothing of calls"),
        Forbidden(
            importer: "callkit-phone",
            imported: all.subtracting(["CallClient", "CallModel", "DBus", "EventLoop", "Files", "Widgets"]),
            reason: "it shows what the bus tells, and asks the daemon to decide"),
        Forbidden(importer: "MonkeyCall", imported: all.subtracting(["OpenCallKit"]), reason: "a plugin needs the SDK"),
        Forbidden(importer: "Hotline", imported: all.subtracting(["OpenCallKit"]), reason: "a plugin needs the SDK"),
        Forbidden(
            importer: "ListDirectory", imported: all.subtracting(["OpenCallKit", "CCSV"]),
            reason: "a plugin needs the SDK, and may bring libraries of its own"),
        Forbidden(
            importer: "Cellular", imported: all.subtracting(["OpenCallKit", "DBus", "EventLoop"]),
            reason: "a plugin needs the SDK, and the bus"),
        Forbidden(
            importer: "SIP", imported: all.subtracting(["OpenCallKit", "EventLoop"]),
            reason: "a plugin needs the SDK, and the loop"),
    ]
    + [
        "EventLoop", "Files", "DBus", "CallModel", "CallCore", "CallWire", "WorkerLaunch", "Numbers", "CallDirectory",
        "CallHost", "CallStage", "CallClient", "Sound", "DesktopAgent", "Widgets", "callkit-phone",
    ].map {
        Forbidden(
            importer: $0, imported: ["Foundation", "FoundationEssentials", "Dispatch"],
            reason: "Foundation costs start-up time and memory in every process")
    }
    + ["SQLite", "CallStore", "callkit-store"].map {
        Forbidden(importer: $0, imported: ["Foundation"], reason: "Foundation costs 54 MB of libraries")
    }
    + rooms.flatMap(\.modules).filter { $0 != "DBus" }.map {
        Forbidden(importer: $0, imported: ["CDBus"], reason: "only DBus knows libdbus")
    }
    + rooms.flatMap(\.modules).filter { $0 != "SQLite" }.map {
        Forbidden(importer: $0, imported: ["CSQLite"], reason: "only SQLite knows libsqlite3")
    }
    + rooms.flatMap(\.modules).filter { $0 != "Sound" }.map {
        Forbidden(importer: $0, imported: ["CSound"], reason: "only Sound knows libpulse and libsndfile")
    }
    + rooms.flatMap(\.modules).filter { $0 != "Widgets" }.map {
        Forbidden(importer: $0, imported: ["CAdw"], reason: "only Widgets knows GTK and libadwaita")
    }
    + rooms.dropFirst().flatMap(\.modules).map {
        Forbidden(importer: $0, imported: ["CSystem"], reason: "only the ground makes the system's own calls")
    }

private let all = Set(rooms.flatMap(\.modules))
private let ground = modules(of: "Ground")
private let store = modules(of: "Store")

private func modules(of room: String) -> Set<String> { Set(rooms.filter { $0.name == room }.flatMap(\.modules)) }

/// For each module, those that stand after it.
private let order: [Forbidden] = {
    let names = rooms.flatMap(\.modules)
    return names.enumerated().map { place, name in
        Forbidden(importer: name, imported: Set(names[(place + 1)...]), reason: "imports point up the list of rooms")
    }
}()

@Suite struct ImportDirectionTests {
    @Test(arguments: order + exceptions) private func forbiddenImports(_ rule: Forbidden) throws {
        for file in try Repository.files(below: folder(of: rule.importer)) {
            let wrong = file.imports.intersection(rule.imported)
            #expect(wrong.isEmpty, "\(file.path) imports \(wrong.sorted()): \(rule.reason)")
        }
    }

    @Test func declaredDependencies() throws {
        let targets = try Repository.describe().targets
        for rule in order + exceptions {
            let target = try #require(targets.first { $0.name == rule.importer }, "no target \(rule.importer)")
            #expect(target.path == folder(of: rule.importer), "\(rule.importer) lies in another room")
            let wrong = rule.imported.intersection(target.target_dependencies ?? [])
            #expect(wrong.isEmpty, "\(rule.importer) depends on \(wrong.sorted()): \(rule.reason)")
        }
    }

    /// Every module stands in the list of rooms.
    @Test func everyModuleHasItsRoom() throws {
        let sources = try Repository.describe().targets.filter { $0.path.hasPrefix("Sources/") }
        #expect(Set(sources.map(\.name)) == all)
    }

    private func folder(of module: String) -> String {
        let room = rooms.first { $0.modules.contains(module) }
        return room.map { "Sources/\($0.name)/\(module)" } ?? "Plugins/\(module)"
    }
}
