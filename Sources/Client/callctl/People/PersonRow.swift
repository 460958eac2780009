// One handle that was found by name.

import CallClient
import CallModel
import DBus
import EventLoop

/// An entry of FindPeople.
struct PersonRow: Readable, Sendable, Equatable {
    let properties: VariantDictionary

    /// The most entries of an answer.
    static let maximum = 20

    var callee: Callee {
        let (type, value) = handle("handle")
        return Callee(handle: "\(type):\(value)", provider: text("provider-id"), postDial: text("post-dial"))
    }

    /// The handle, in the shortest form that StartCall takes.
    private var handleText: String {
        let value = handle("handle").value
        return (try? DialString(parsing: value).handle.value) == value ? value : callee.handle
    }

    /// Returns the favorites, or the contacts if there is no favorite; of these the exact ones, if there are any.
    static func preferred(among people: [PersonRow]) -> [PersonRow] {
        preferring({ $0.flag("exact") }, in: preferring({ $0.flag("favorite") }, in: people))
    }

    /// Returns the only one of several, or the only one that can be called.
    ///
    /// - Parameter types: the types of handles that can be called.
    /// - Throws: if there are more, with a list of them.
    static func only(
        of people: [PersonRow], taking types: Set<String>, for reference: String
    ) throws(Failure) -> PersonRow {
        let fitting = preferring({ types.contains($0.handle("handle").type) }, in: people)
        if fitting.count == 1 { return fitting[0] }
        let width = fitting.map { $0.text("name").displayWidth }.max() ?? 0
        let lines = fitting.map { person in
            let (name, label) = (person.text("name").padded(to: width), person.text("label"))
            return "  \(name)  \(person.handleText)" + (label.isEmpty ? "" : "  \(label)")
        }
        let count = fitting.count < maximum ? "\(fitting.count)" : "at least \(fitting.count)"
        let title = "\"\(reference)\" matches \(count) handles, which one:"
        throw Failure(.unknown, ([title] + lines).joined(separator: "\n"))
    }

    private static func preferring(_ isBetter: (PersonRow) -> Bool, in all: [PersonRow]) -> [PersonRow] {
        let better = all.filter(isBetter)
        return better.isEmpty ? all : better
    }
}

extension Session {
    /// Returns the favorites and contacts with a name; nobody for a text that is no name.
    func people(named name: String) async throws(Failure) -> [PersonRow] {
        do {
            let rows: [VariantDictionary] = try await call(
                at: DaemonPath.directory, Contract.directory, "FindPeople", name, waiting: Self.quickTimeout)
            return rows.map { PersonRow(properties: $0) }
        } catch  where error.isAbout(.invalidArguments) {
            return []
        }
    }
}
