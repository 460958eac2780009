// Finds a call by what people know of it, and other objects by their paths and ids.

import CallClient
import CallModel
import DBus

/// The calls that a command can act on when none is named.
struct Candidates: Sendable {
    let one: String
    let many: String
    let fits: @Sendable (PublishedCall) -> Bool

    /// Describes the candidates by a verb, as in "call that rings".
    static func that(
        _ singular: String, _ plural: String, _ fits: @escaping @Sendable (PublishedCall) -> Bool
    ) -> Candidates {
        Candidates(one: "call that \(singular)", many: "calls that \(plural)", fits: fits)
    }

    static func thatCan(_ ability: Capabilities, be participle: String) -> Candidates {
        that("can be \(participle)", "can be \(participle)") { $0.can.contains(ability) }
    }

    /// Every call; those that have ended count only if there is no other.
    static let any = Candidates(one: "call", many: "calls") { _ in true }
    static let live = Candidates(one: "call", many: "calls") { !$0.hasEnded && $0.state != .ending }
    static let ringing = that("rings", "ring") { $0.state == .ringing }
}

extension Snapshot {
    /// Returns the call that `reference` names; without a reference, the only one among `candidates`.
    func call(_ reference: String?, or candidates: Candidates) throws(Failure) -> PublishedCall {
        if let reference { return try call(reference, preferring: candidates) }
        let fitting = Self.preferring(\.isLive, in: calls.filter(candidates.fits))
        guard let only = fitting.first else { throw Failure(.unknown, "no \(candidates.one)") }
        guard fitting.count == 1 else {
            throw ambiguous("\(fitting.count) \(candidates.many), name one:", fitting)
        }
        return only
    }

    /// Returns the call that `reference` names. If it matches several, calls that have not ended are preferred, then those
    /// among `candidates`.
    func call(_ reference: String, preferring candidates: Candidates = .any) throws(Failure) -> PublishedCall {
        if let exact = calls.first(where: { $0.path.text == reference || $0.id.description == reference.lowercased() })
        {
            return exact
        }
        var fitting = Self.preferring(\.isLive, in: calls.filter { isNamed($0, by: reference) })
        fitting = Self.preferring(candidates.fits, in: fitting)
        guard let only = fitting.first else { throw Failure(.unknown, "no call \"\(reference)\"") }
        guard fitting.count == 1 else { throw ambiguous("\"\(reference)\" matches \(fitting.count) calls:", fitting) }
        return only
    }

    func provider(_ reference: String) throws(Failure) -> PublishedProvider {
        do throws(Failure) {
            return try Self.find(reference, in: providers, "provider", id: \.id.rawValue, path: \.path.text)
        } catch {
            guard let standstill = (try? plugin(reference))?.standstill else { throw error }
            throw Failure(error.outcome, "\(error.message): \(standstill)")
        }
    }

    func plugin(_ reference: String) throws(Failure) -> Record {
        try Self.find(reference, in: plugins, "plugin", id: \.id, path: \.path.text)
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

    private func ambiguous(_ title: String, _ fitting: [PublishedCall]) -> Failure {
        let lines = fitting.map { call in
            "  \(shortID(of: call))  \(call.state.rawValue.padded(to: 10))  \(call.caller)"
        }
        return Failure(.unknown, ([title] + lines).joined(separator: "\n"))
    }

    /// Returns whether a reference names a call, or several ones.
    func names(_ reference: String) -> Bool {
        calls.contains { $0.path.text == reference || isNamed($0, by: reference) }
    }

    /// Returns whether a reference is the beginning of the call's id, its state, its provider, its caller's name, the
    /// beginning of that name, or its number.
    private func isNamed(_ call: PublishedCall, by reference: String) -> Bool {
        let wanted = reference.lowercased()
        if Self.digits(of: call.id.description).hasPrefix(Self.digits(of: wanted)) { return true }
        if wanted == call.state.rawValue || wanted == call.provider?.rawValue.lowercased() { return true }
        if call.callerName.lowercased().hasPrefix(wanted) { return true }
        return call.handle.isMeant(by: wanted) || sameNumber.contains(call.path)
    }

    private static func preferring(
        _ isBetter: (PublishedCall) -> Bool, in all: [PublishedCall]
    ) -> [PublishedCall] {
        let better = all.filter(isBetter)
        return better.isEmpty ? all : better
    }

    /// Returns the reference in lower case, without dashes.
    private static func digits(of reference: String) -> String {
        reference.lowercased().filter { $0 != "-" && $0 != "_" }
    }
}
