// Networks that go and come back, and calls that outlive a worker.

import OpenCallKit

extension Flawed {
    func show(_ availability: CXProviderConfiguration.Availability) {
        let configuration = provider.configuration
        configuration.availability = availability
        provider.configuration = configuration
    }

    func networkChanged() {
        guard let isLost = Surroundings.present?.isNetworkLost, !has(.ignoresItsNetwork) else { return }
        if isLost {
            show(.offline)
        } else if !has(.staysOffline) {
            show(.online)
        }
    }

    /// Whether a start is left unanswered.
    var waitsForNetwork: Bool { has(.waitsForItsNetwork) && Surroundings.present?.isNetworkLost == true }

    func rememberCalls() {
        if has(.adoptsCalls) || has(.adoptsInName) || has(.locksItselfOut) {
            Surroundings.hasCall = hasCalls
        }
    }

    /// Reports the call that an earlier worker had. One that is not taken over goes on.
    func adoptCall() {
        guard has(.adoptsCalls) || has(.adoptsInName), Surroundings.hasCall else { return }
        let uuid = UUID()
        if has(.adoptsCalls) { began(uuid) }
        Task { try? await reportOngoing(uuid) }
    }
}
