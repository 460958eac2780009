// Imports point up the list of modules, never down; each forbidden pair has its reason.

import Testing

private struct Forbidden: CustomTestStringConvertible {
    let importer: String
    let imported: Set<String>
    let reason: String

    var testDescription: String { "\(importer) does not import \(imported.sorted().joined(separator: ", "))" }
}

private let foundation: Set = ["Foundation", "FoundationEssentials", "Dispatch"]
private let everythingOfOurs: Set = [
    "CDBus", "EventLoop", "DBus", "CallModel", "CallCore", "CallDirectory", "CallScenario", "CallWire",
    "WorkerLaunch", "Certification", "CallHost", "CallStage", "OpenCallKit", "CPhoneNumber", "CCSV", "Numbers",
    "CallStore", "OpenCallKitTestKit",
]

/// What lives in callkit-store only: it costs a process time and memory that no call is to wait for.
private let storeOnly: Set = ["CPhoneNumber", "CVCard", "Numbers", "CallStore", "GRDB"]

private let rules: [Forbidden] =
    [
        Forbidden(importer: "EventLoop", imported: everythingOfOurs.subtracting(["CDBus"]), reason: "it is the ground"),
        Forbidden(
            importer: "DBus", imported: everythingOfOurs.subtracting(["CDBus", "EventLoop"]),
            reason: "it knows nothing of calls"),
        Forbidden(importer: "CallModel", imported: everythingOfOurs, reason: "plain values need nothing"),
        Forbidden(
            importer: "CallCore", imported: everythingOfOurs.subtracting(["CallModel"]).union(["Glibc"]),
            reason: "it decides and does nothing: no I/O, no clock"),
        Forbidden(
            importer: "CallDirectory", imported: everythingOfOurs.subtracting(["CallModel"]),
            reason: "it is a file format and rules, for whoever keeps them"),
        Forbidden(
            importer: "CallScenario",
            imported: everythingOfOurs.subtracting(["CallModel", "CallCore"]).union(["Glibc"]),
            reason: "it plays with the core alone: no I/O, no clock but its own"),
        Forbidden(
            importer: "CallWire", imported: ["CallCore", "CallHost", "OpenCallKit", "CDBus"],
            reason: "both sides of the protocol share it"),
        Forbidden(
            importer: "WorkerLaunch",
            imported: everythingOfOurs.subtracting(["CallModel", "DBus", "EventLoop", "WorkerLaunch"]),
            reason: "whoever starts workers shares it"),
        Forbidden(
            importer: "Certification",
            imported: storeOnly.union(["CallCore", "CallScenario", "CallHost", "OpenCallKit", "CDBus"]),
            reason: "the scripted host decides nothing"),
        Forbidden(
            importer: "CallHost", imported: storeOnly.union(["Certification", "CallStage", "OpenCallKit", "CDBus"]),
            reason: "the host knows plugins by their messages only, and libdbus by DBus only"),
        Forbidden(
            importer: "CallStage", imported: ["OpenCallKit", "CDBus", "Glibc"],
            reason: "everything on it is scripted: no I/O, no clock but its own"),
        Forbidden(
            importer: "OpenCallKit", imported: ["CallCore", "WorkerLaunch", "CallHost", "CDBus"],
            reason: "the SDK speaks to the host in messages only"),
        Forbidden(
            importer: "OpenCallKitTestKit",
            imported: ["CDBus", "CallScenario", "CallDirectory", "WorkerLaunch", "Testing"],
            reason: "it brings SDK and host together, in memory, for any test library"),
        Forbidden(
            importer: "callctl", imported: ["CallCore", "CallHost", "CallWire", "OpenCallKit", "CDBus"],
            reason: "live calls only over the bus"),
        Forbidden(
            importer: "callkitd", imported: storeOnly.union(["CallCore", "OpenCallKit", "CDBus"]), reason: "wiring only"
        ),
        Forbidden(
            importer: "Numbers", imported: everythingOfOurs.subtracting(["CallModel", "CPhoneNumber", "Numbers"]),
            reason: "it knows handles and nothing else"),
        Forbidden(
            importer: "CallStore",
            imported: ["CDBus", "CPhoneNumber", "CVCard", "CallCore", "CallHost", "OpenCallKit"],
            reason: "it is asked and told by messages, and keeps what it is told"),
        Forbidden(
            importer: "callkit-store",
            imported: ["CDBus", "CPhoneNumber", "CVCard", "CallCore", "CallHost", "OpenCallKit"], reason: "wiring only"),
        Forbidden(
            importer: "callkit-contacts",
            imported: everythingOfOurs.subtracting(["CallModel", "DBus", "EventLoop", "Numbers"]).union(["GRDB"]),
            reason: "it reads what strangers wrote, and has nothing to lose"),
        Forbidden(
            importer: "MonkeyCall", imported: everythingOfOurs.subtracting(["OpenCallKit"]),
            reason: "a plugin needs the SDK only"),
        Forbidden(
            importer: "Hotline", imported: everythingOfOurs.subtracting(["OpenCallKit"]),
            reason: "a plugin needs the SDK only"),
        Forbidden(
            importer: "ListDirectory", imported: everythingOfOurs.subtracting(["OpenCallKit", "CCSV"]),
            reason: "a plugin needs the SDK only, and libraries of its trade"),
    ]
    + [
        "EventLoop", "DBus", "CallModel", "CallCore", "CallDirectory", "CallWire", "WorkerLaunch", "CallHost",
        "CallStage", "Numbers",
    ].map {
        Forbidden(
            importer: $0, imported: foundation, reason: "Foundation costs start-up time and memory in every process")
    }

@Suite struct ImportDirectionTests {
    @Test(arguments: rules) private func forbiddenImports(_ rule: Forbidden) throws {
        let folder = ["MonkeyCall", "Hotline", "ListDirectory"].contains(rule.importer) ? "Plugins" : "Sources"
        let files = try Repository.files(below: "\(folder)/\(rule.importer)")
        try #require(!files.isEmpty, "no sources of \(rule.importer)")
        for file in files {
            let wrong = file.imports.intersection(rule.imported)
            #expect(wrong.isEmpty, "\(file.path) imports \(wrong.sorted()): \(rule.reason)")
        }
    }

    @Test func declaredDependencies() throws {
        let targets = try Repository.describe().targets
        for rule in rules {
            let target = try #require(targets.first { $0.name == rule.importer }, "no target \(rule.importer)")
            let wrong = rule.imported.intersection(target.target_dependencies ?? [])
            #expect(wrong.isEmpty, "\(rule.importer) depends on \(wrong.sorted()): \(rule.reason)")
        }
    }
}
