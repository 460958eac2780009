// PKPushRegistry: no token arrives, and an app may pass messages of its own to its delegate.

import OpenCallKitPort
import Testing

private final class Receiver: PKPushRegistryDelegate {
    var tokens: [Data] = []
    func pushRegistry(_ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType) {
        tokens.append(credentials.token)
    }
}

@Suite struct PushTests {
    @Test @MainActor func noTokenArrives() async {
        let registry = PKPushRegistry(queue: .main)
        let receiver = Receiver()
        registry.delegate = receiver
        registry.desiredPushTypes = [.voIP]
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        #expect(receiver.tokens == [] && registry.pushToken(for: .voIP) == nil)
        #expect(registry.desiredPushTypes == [.voIP])
    }

    @Test func optionalMethods() {
        let registry = PKPushRegistry(queue: nil)
        let receiver = Receiver()
        var isComplete = false
        receiver.pushRegistry(
            registry, didReceiveIncomingPushWith: PKPushPayload(dictionaryPayload: ["a": 1]), for: .voIP
        ) { isComplete = true }
        receiver.pushRegistry(registry, didInvalidatePushTokenFor: .voIP)
        #expect(isComplete)
    }
}
