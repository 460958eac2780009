// What is told without being asked, and when: after what somebody waits for.

internal import CDBus
internal import EventLoop

extension ObjectTree {
    /// How long an announcement waits for what is more urgent, in milliseconds.
    static let announcementDelay = 1

    /// Has `body` emit signals a little later, in the order of the calls: once the loop has had a millisecond for what
    /// somebody waits for, such as the answers to method calls. Signals of this tree that are emitted meanwhile, and
    /// answers that tell what objects are like (properties, object managers, `Peer`), go out after them. So whoever
    /// asks never learns from a signal what was so before the answer.
    public func announceLater(_ body: @escaping @LoopActor () -> Void) {
        if !managedObjects.isEmpty { managedObjects.removeAll() }
        announcements.append(body)
        announceSoon()
    }

    /// Has `beforeAnnouncing` called a little later, and then emits what waits to be.
    public func announceSoon() {
        if !announcementAlarm.isSet { announcementAlarm.set(afterMilliseconds: Self.announcementDelay) }
    }

    /// Emits at once what waits to be.
    public func announceNow() {
        beforeAnnouncing?()
        announcementAlarm.unset()
        guard !announcements.isEmpty else { return }
        let waiting = announcements
        announcements.removeAll(keepingCapacity: true)
        // What they emit finds nothing that waits, and goes out.
        for announce in waiting { announce() }
    }

    /// Sends a signal on all channels that want them. What cannot travel is dropped.
    func broadcast(_ make: () throws(DBusError) -> Message) {
        announceNow()
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
