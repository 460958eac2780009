// Finds an object by its path, its id, the beginning of its id, or as the only match.

import DBus

/// The calls that a command can act on when none is named.
struct Candidates: Sendable {
    let one: String
    let many: String
    let fits: @Sendable (Record) -> Bool

    /// Describes the candidates by a verb, as in "call that rings".
    static func that(_ singular: String, _ plural: String, _ fits: @escaping @Sendable (Record) -> Bool) -> Candidates {
        Candidates(one: "call that \(singular)", many: "calls that \(plural)", fits: fits)
    }

    static func thatCan(_ word: String, be participle: String) -> Candidates {
        that("can be \(participle)", "can be \(participle)") { $0.can(word) }
    }

    static let any = Candidates(one: "call", many: "calls") { _ in true }
    static let live = Candidates(one: "call", many: "calls") { !$0.hasEnded && $0.state != "ending" }
    static let ringing = that("rings", "ring") { $0.state == "ringing" }
}

extension Snapshot {
    /// Returns the call that `reference` names; without a reference, the only one among `candidates`.
    func call(_ reference: String?, or candidates: Candidates) throws(Failure) -> Record {
        if let reference { return try call(reference) }
        let fitting = calls.filter(candidates.fits)
        guard let only = fitting.first else { throw Failure(.unknown, "no \(candidates.one)") }
        guard fitting.count == 1 else {
            throw ambiguous("\(fitting.count) \(candidates.many), name one:", fitting)
        }
        return only
    }

    /// Returns the call that `reference` names. If it matches several, the only one that has not ended is returned.
    func call(_ reference: String) throws(Failure) -> Record {
        let wanted = Self.digits(of: reference)
        var fitting = calls.filter { $0.path.text == reference || Self.digits(of: $0.id).hasPrefix(wanted) }
        if fitting.count > 1 { fitting = Self.preferring(fitting.filter { !$0.hasEnded }, to: fitting) }
        guard let only = fitting.first else { throw Failure(.unknown, "no call \"\(reference)\"") }
        guard fitting.count == 1 else { throw ambiguous("\"\(reference)\" matches \(fitting.count) calls:", fitting) }
        return only
    }

    func provider(_ reference: String) throws(Failure) -> Record {
        try Self.find(reference, in: providers, "provider")
    }

    func plugin(_ reference: String) throws(Failure) -> Record {
        try Self.find(reference, in: plugins, "plugin")
    }

    private static func find(_ reference: String, in records: [Record], _ noun: String) throws(Failure) -> Record {
        try find(reference, in: records, noun, id: \.id, path: \.path.text)
    }

    /// Returns the item that `reference` names: an exact match wins over one in another case, and that over the
    /// beginning of an id.
    static func find<Item>(
        _ reference: String, in items: [Item], _ noun: String, id: (Item) -> String, path: (Item) -> String
    ) throws(Failure) -> Item {
        let lower = reference.lowercased()
        var fitting = items.filter { path($0) == reference || id($0) == reference }
        if fitting.isEmpty { fitting = items.filter { id($0).lowercased() == lower } }
        if fitting.isEmpty { fitting = items.filter { id($0).lowercased().hasPrefix(lower) } }
        guard let only = fitting.first else { throw Failure(.unknown, "no \(noun) \"\(reference)\"") }
        guard fitting.count == 1 else {
            let names = fitting.map { "  " + id($0) }.joined(separator: "\n")
            throw Failure(.unknown, "\"\(reference)\" matches \(fitting.count) \(noun)s:\n\(names)")
        }
        return only
    }

    private func ambiguous(_ title: String, _ fitting: [Record]) -> Failure {
        let lines = fitting.map { call in
            "  \(call.id.prefix(shortLength))  \(call.state.padded(to: 10))  \(call.caller)"
        }
        return Failure(.unknown, ([title] + lines).joined(separator: "\n"))
    }

    private static func preferring(_ better: [Record], to all: [Record]) -> [Record] {
        better.isEmpty ? all : better
    }

    /// Returns the reference in lower case, without dashes.
    private static func digits(of reference: String) -> String {
        reference.lowercased().filter { $0 != "-" && $0 != "_" }
    }
}
