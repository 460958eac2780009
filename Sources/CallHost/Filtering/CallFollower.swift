// Whoever keeps what outlives a call.

package import CallCore
import CallModel
package import EventLoop

/// Is told what becomes of calls, identities included, once callers and the bus have been told.
@LoopActor
package protocol CallFollower: AnyObject {
    func opened(_ call: Call)
    func changed(_ call: Call, _ changes: CallChanges)
    /// The call has ended; `opened` came before, maybe at the same moment.
    func closed(_ call: Call)
    /// The call was never there: no other word of it comes.
    func filtered(_ call: FilteredCall)
}

extension CallSystemHost {
    func tellFollower(_ effects: [Effect]) {
        guard let follower else { return }
        for effect in effects {
            switch effect {
            case .callAdded(let id): if let call = machine.call(id) { follower.opened(call) }
            case .callChanged(let id, let changes): if let call = machine.call(id) { follower.changed(call, changes) }
            case .callEnded(let id, _, _): if let call = machine.call(id) { follower.closed(call) }
            case .callFiltered(let call): follower.filtered(call)
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
