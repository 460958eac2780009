// The signals of the objects of a tree.

internal import EventLoop

extension ObjectTree {
    /// Sends a signal on all channels that receive signals. A signal that cannot be encoded is dropped.
    func broadcast(_ make: () throws(DBusError) -> Message) {
        audiences.removeAll { $0.channel.map { !$0.isOpen } ?? true }
        let channels = audiences.compactMap { $0.isAnnouncedTo ? $0.channel : nil }
        guard let first = channels.first, let message = try? make() else { return }
        for channel in channels.dropFirst() {
            if let copy = try? message.copy() { channel.send(copy) }
        }
        first.send(message)
    }

    /// Emits a signal of an object.
    public func emit<each Argument: DBusType>(
        _ signal: Signal<repeat each Argument>, from path: ObjectPath, _ arguments: repeat each Argument,
        to destination: String? = nil
    ) {
        broadcast { () throws(DBusError) in
            try Message.signal(
                from: path, signal.interface, signal.name, repeat each arguments, to: destination)
        }
    }
}
