// MobileProviderDelegate: what the system asks of a provider, on its way to the loop.

import EventLoop
import OpenCallKit

/// Hands the system's requests to a provider, in order. All transactions are taken as a whole: what the actions ask for together
/// is one service of the network, or none.
final class MobileProviderDelegate: CXProviderDelegate, Sendable {
    @LoopActor weak var mobile: MobileProvider?

    nonisolated init() {}

    func providerDidReset(_ provider: CXProvider) {
        Loop.shared.post { self.mobile?.reset() }
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        Loop.shared.post { self.mobile?.actions.withdraw(action) }
    }

    func provider(_ provider: CXProvider, perform action: CXServiceCodeAction) {
        Loop.shared.post {
            guard let mobile = self.mobile else { return action.fail(as: .unreachable) }
            mobile.serviceCodes.perform(action)
        }
    }

    func providerDidCancelServiceCode(_ provider: CXProvider) {
        Loop.shared.post { self.mobile?.serviceCodes.cancel() }
    }

    func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool {
        let actions = transaction.actions
        Loop.shared.post {
            guard let mobile = self.mobile else { return actions.forEach { $0.fail(as: .unreachable) } }
            mobile.actions.execute(actions)
        }
        return true
    }
}
