// The source of what is known of callers: block lists, allow lists, favorites, contacts, directories.

package import CallModel
package import EventLoop

/// Answers from memory, and soon: an incoming call waits for it.
@LoopActor
package protocol CallerLookUp: AnyObject {
    /// Hands over once what is known of a caller. Who cannot tell says that the question is unanswered.
    ///
    /// - Parameters:
    ///   - handle: nil if the caller withholds it.
    ///   - call: the call that waits.
    func lookUp(_ handle: Handle?, for call: CallID, then: @escaping @LoopActor (CallerFacts) -> Void)
}
