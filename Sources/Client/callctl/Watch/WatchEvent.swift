// One line of `callctl watch`.

import CallClient
import CallModel
import DBus
import EventLoop

/// An event. `text` is nil if only programs need it; `members` are its JSON.
struct WatchEvent: Sendable, Equatable {
    enum Name: String, Sendable {
        case bus, daemon
        /// An object that existed when watching began.
        case call, provider, plugin
        case incoming, outgoing, identity, state, changed, ended, gone
        case resume, active, audio, system, anomaly
        /// A call that was filtered, a call that was missed, and a change of block lists or caller names.
        case filtered, missed, lists
    }

    /// The fewest columns that a text has beside the rest of its line.
    private static let leastRoom = 24

    let name: Name
    let object: ObjectPath?
    let text: String?
    let members: [JSON.Member]

    init(_ name: Name, _ object: ObjectPath? = nil, _ text: String?, _ members: [JSON.Member] = []) {
        self.name = name
        self.object = object
        self.text = text
        self.members = members
    }

    /// Returns `HH:MM:SS.mmm  event     call      text`, or nil for an event without text. On a terminal with little room
    /// beside it, the text has lines of its own.
    func line(at time: WallTime, on terminal: Terminal) -> String? {
        guard let text else { return nil }
        let id = object.flatMap { Contract.call(at: $0.text) }.map { String($0.description.prefix(8)) } ?? ""
        let head = "\(time.clockText)  "
        let middle = name.rawValue.padded(to: 8) + "  "
        let label = id.padded(to: 8) + "  "
        let room = (terminal.width ?? .max) - head.count - middle.count - label.count
        let start =
            Style.dim.applied(to: head, on: terminal) + style.applied(to: middle, on: terminal)
            + Style.bold.applied(to: label, on: terminal)
        guard let width = terminal.width, room < Self.leastRoom else {
            return start + text.printable.truncated(to: room)
        }
        let indent = 2
        return ([start] + text.printable.lines(first: width - indent, rest: width - indent))
            .joined(separator: "\n" + String(repeating: " ", count: indent))
    }

    func json(at time: WallTime) -> JSON {
        var members = [JSON.Member("at", .unsigned(time.microseconds)), JSON.Member("event", .string(name.rawValue))]
        if let object {
            members.append(JSON.Member("object", .string(object.text)))
            members.append(JSON.Member("id", .string(object.id)))
        }
        let known = Set(members.map(\.key))
        return .object(members + self.members.filter { !known.contains($0.key) })
    }

    private var style: Style {
        switch name {
        case .incoming, .outgoing: .yellow
        case .missed: .bold
        case .state, .resume: .cyan
        case .ended, .gone: .plain
        case .anomaly, .bus, .daemon: .red
        case .call, .provider, .plugin, .identity, .changed, .active, .audio, .system, .filtered, .lists: .dim
        }
    }
}
