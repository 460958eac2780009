// DesktopPart: what each part of the agent is to the whole.

package import DBus
package import EventLoop

/// One of the things that the agent does, such as showing notifications. Every part works without the others; a part
/// whose counterpart is missing, such as a sound server, waits for it.
@LoopActor
package protocol DesktopPart: AnyObject {
    /// The part's name in `callctl desktop status`, such as `notifications`.
    var name: String { get }
    /// What the part does now, for people, such as `dunst 1.9.0`; if it waits for something, what is missing.
    var status: PartStatus { get }

    /// The session bus is there. Called before the daemon's objects are known.
    func connected(to bus: Bus)
    /// The session bus has gone.
    func disconnected()
    /// Returns once `status` says what is so now: what was asked elsewhere than on the session bus is answered, and what
    /// nobody tells is read again. Called before the status is read; it is waited for two seconds at most.
    func settle() async
    /// The agent ends: undo what must not outlive it. Half a second is left.
    func stop() async
}

extension DesktopPart {
    package func settle() async {}
}

/// The state of a part.
package struct PartStatus: Sendable, Equatable {
    /// Whether the part can do its work.
    package let isReady: Bool
    /// One sentence or name, without a full stop.
    package let text: String

    package static func ready(_ text: String) -> PartStatus { PartStatus(isReady: true, text: text) }
    package static func waiting(_ text: String) -> PartStatus { PartStatus(isReady: false, text: text) }
}
