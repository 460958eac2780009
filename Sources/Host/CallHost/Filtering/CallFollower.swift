// Whoever keeps what outlives a call.

package import CallCore
import CallModel
package import EventLoop

/// Is told what becomes of calls, identities included, once callers and the bus have been told.
@LoopActor
package protocol CallFollower: AnyObject {
    func opened(_ call: Call, at moment: Instant)
    func changed(_ call: Call, _ changes: CallChanges, at moment: Instant)
    /// The call has ended; `opened` came before, maybe at the same moment.
    func closed(_ call: Call, at moment: Instant)
    /// The call was never there: no other word of it comes.
    func filtered(_ call: FilteredCall)
}

extension CallSystemHost {
    func tellFollower(_ step: Step) {
        guard let follower else { return }
        step.each { _, effect, call in
            switch (effect, call) {
            case (.callAdded, let call?): follower.opened(call, at: step.moment)
            case (.callChanged(_, let changes), let call?): follower.changed(call, changes, at: step.moment)
            case (.callEnded, let call?): follower.closed(call, at: step.moment)
            case (.callFiltered(let call), _): follower.filtered(call)
            default: break
            }
        }
    }

    /// Who filtered a call, as people know it: a list, `do-not-disturb`, or the name that a screener gave itself.
    package func name(of filter: FilteredCall.Filter) -> String {
        guard case .screener(let id) = filter else { return filter.word }
        let name = screeners.name(of: id)
        return name.isEmpty ? filter.word : name
    }

    /// Who screened a call, as people know it.
    package func name(of screener: ScreenerID) -> String { name(of: .screener(screener)) }
}
