// LineDelegate: what the system asks of a provider, on its way to the loop.

import EventLoop
import OpenCallKit

/// Hands the system's requests to a line, in order. All transactions are taken as a whole: what the actions ask for together
/// is one service of the network, or none.
final class LineDelegate: CXProviderDelegate, Sendable {
    @LoopActor weak var line: MobileLine?

    nonisolated init() {}

    func providerDidReset(_ provider: CXProvider) {
        Loop.shared.post { self.line?.reset() }
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        Loop.shared.post { self.line?.withdraw(action) }
    }

    func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool {
        let actions = transaction.actions
        Loop.shared.post {
            guard let line = self.line else { return actions.forEach { $0.fail(as: .unreachable) } }
            line.execute(actions)
        }
        return true
    }
}
