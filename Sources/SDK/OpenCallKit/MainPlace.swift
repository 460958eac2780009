// MainPlace: the main queue, the main thread and the loop's thread.

internal import EventLoop

/// The places where waiting is not allowed: the main queue, the main thread and the loop's thread.
enum MainPlace {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool {
        Loop.shared.isCurrent || DispatchQueue.getSpecific(key: key) == true || Loop.isMainThread
    }

    /// Whether a queue is the main one.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
