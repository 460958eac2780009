// A scripted look-up of callers, in the host's own process.

import CallHost
package import CallModel
package import EventLoop

/// Keeps the host's questions until the script answers them.
@LoopActor
package final class ScriptedLookUp: CallerLookUp {
    private var waiting: [CallID: @LoopActor (CallerFacts) -> Void] = [:]

    package init() {}

    package func lookUp(_ handle: Handle?, for call: CallID, then: @escaping @LoopActor (CallerFacts) -> Void) {
        waiting[call] = then
    }

    package func answer(_ call: CallID, _ caller: CallerFacts) { waiting[call]?(caller) }
}
