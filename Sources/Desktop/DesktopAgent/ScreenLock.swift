// ScreenLock: whether the screen is locked, as several services tell.

package import EventLoop

/// The lock of the screen. It is locked as long as one of its sources says so.
@LoopActor
package final class ScreenLock {
    private var sources: Set<String> = []
    private var observers: [@LoopActor () -> Void] = []

    package init() {}

    package var isLocked: Bool { !sources.isEmpty }

    /// Takes over what a source says, such as `logind`.
    package func set(_ source: String, isLocked: Bool) {
        let before = self.isLocked
        if isLocked { sources.insert(source) } else { sources.remove(source) }
        guard before != self.isLocked else { return }
        for observer in observers { observer() }
    }

    /// Adds an observer of `isLocked`, for as long as the lock lives.
    package func observe(_ observer: @escaping @LoopActor () -> Void) { observers.append(observer) }
}
