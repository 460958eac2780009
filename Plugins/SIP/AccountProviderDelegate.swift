// AccountProviderDelegate: what the system asks of a provider, on its way to the loop.

import EventLoop
import OpenCallKit

/// Hands the system's requests to an account, in order.
final class AccountProviderDelegate: CXProviderDelegate, Sendable {
    @LoopActor weak var account: AccountProvider?

    nonisolated init() {}

    private func pass(_ action: CXCallAction) {
        Loop.shared.post {
            guard let account = self.account else { return action.fail(as: .unreachable) }
            account.perform(action)
        }
    }

    func providerDidReset(_ provider: CXProvider) { Loop.shared.post { self.account?.reset() } }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) { pass(action) }
    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { pass(action) }
    func provider(_ provider: CXProvider, perform action: CXEndCallAction) { pass(action) }
    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { pass(action) }
    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { pass(action) }
    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { pass(action) }
    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { pass(action) }
    func provider(_ provider: CXProvider, perform action: CXTransferCallAction) { pass(action) }
    func provider(_ provider: CXProvider, perform action: CXAnswerTransferCallAction) { pass(action) }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        Loop.shared.post { self.account?.withdraw(action) }
    }

    // At once, and not by way of the loop: the next provider gets the audio when the second of them returns.
    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { Engine.setAudio(true) }
    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { Engine.setAudio(false) }
}
