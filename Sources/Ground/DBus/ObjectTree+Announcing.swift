// The signals of the objects of a tree.

internal import EventLoop

extension ObjectTree {
    /// Sends a signal of an object on all channels that receive signals. A signal that cannot be encoded is dropped.
    func broadcast(of path: ObjectPath, _ make: () throws(DBusError) -> Message) {
        let confidant = confidant(of: path)
        var message: Message?
        for audience in audiences where audience.isAnnouncedTo {
            guard let channel = audience.channel, channel.isOpen else { continue }
            guard let next = try? message?.copy() ?? make(), confidant.map(next.direct(to:)) ?? true else { return }
            channel.send(next)
            message = next
        }
    }

    /// Emits a signal of an object.
    public func emit<each Argument: DBusType>(
        _ signal: Signal<repeat each Argument>, from path: ObjectPath, _ arguments: repeat each Argument,
        to destination: String? = nil
    ) {
        broadcast(of: path) { () throws(DBusError) in
            try Message.signal(
                from: path, signal.interface, signal.name, repeat each arguments, to: destination)
        }
    }
}
