// CallFollower: keeps what outlives a call.

package import CallCore
import CallModel
package import EventLoop

/// Is told of calls, identities included, after the callers and the bus.
@LoopActor
package protocol CallFollower: AnyObject {
    func opened(_ call: Call, at moment: Instant)
    func changed(_ call: Call, _ changes: CallChanges, at moment: Instant)
    /// The call was kept from ringing: nothing else is told of it.
    func filtered(_ call: FilteredCall)
}

extension CallSystemHost {
    func tellFollower(_ effect: Effect, at moment: Instant) {
        switch effect {
        case .callAdded(let call): follower?.opened(call, at: moment)
        case .callChanged(let call, let changes): follower?.changed(call, changes, at: moment)
        case .callFiltered(let call): follower?.filtered(call)
        default: break
        }
    }

    /// Returns who filtered a call, for people: a list, `do-not-disturb`, or the name that a screener gave itself.
    package func name(of filter: FilteredCall.Filter) -> String {
        guard case .screener(let id) = filter else { return filter.word }
        let name = screeners.name(of: id)
        return name.isEmpty ? filter.word : name
    }

    /// Returns who screened a call, for people.
    package func name(of screener: ScreenerID) -> String { name(of: .screener(screener)) }
}
