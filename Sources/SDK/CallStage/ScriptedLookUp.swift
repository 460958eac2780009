// Somebody who knows callers as told, in the host's own process.

import CallHost
package import CallModel
package import EventLoop

/// Notes who is asked about, and answers when told.
@LoopActor
package final class ScriptedLookUp: CallerLookUp {
    private var waiting: [CallID: @LoopActor (CallerFacts) -> Void] = [:]

    package init() {}

    package func lookUp(_ handle: Handle?, for call: CallID, then: @escaping @LoopActor (CallerFacts) -> Void) {
        waiting[call] = then
    }

    package func answer(_ call: CallID, _ caller: CallerFacts) {
        waiting[call]?(caller)
    }
}
