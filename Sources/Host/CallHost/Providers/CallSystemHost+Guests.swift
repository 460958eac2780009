// Providers and clients without processes of their own: at the far ends of channels within this one.

package import CallCore
package import CallModel
package import DBus
import EventLoop

/// Who is at the far end of a channel within this process.
struct Guest {
    let name: String
    /// Whether it counts as a plugin that came with the system.
    var isPackaged = true
    /// Whose share its providers count towards; nil = a plugin of its name.
    var owner: Owner?
}

extension CallSystemHost {
    /// Serves a channel with what a bus has.
    ///
    /// - Parameters:
    ///   - guest: who is at its far end if messages from there show no sender. Like a plugin, it comes back under its name.
    ///   - announcing: whether the signals go there.
    package func serve(on channel: any MessageChannel, guest: String? = nil, announcing: Bool = false) {
        guests[ObjectIdentifier(channel)] = guest.map { Guest(name: $0) }
        serveLink(channel, announcing: announcing)
        channel.onUnmatchedReply = { [weak self, weak channel] message in
            if let channel { self?.takeReply(message, on: channel) }
        }
    }

    /// The channel is closed: what the guest was provider of has died.
    package func guestLeft(_ channel: any MessageChannel) {
        guard let guest = guests.removeValue(forKey: ObjectIdentifier(channel)) else { return }
        tree.unserve(channel)
        for provider in providers.owned(by: .guest(guest.name)) { lost(provider.id) }
    }

    /// Says whether a guest counts as a plugin that came with the system, and whose share its providers count towards.
    package func set(isPackaged: Bool, owner: Owner? = nil, guest channel: any MessageChannel) {
        guests[ObjectIdentifier(channel)]?.isPackaged = isPackaged
        guests[ObjectIdentifier(channel)]?.owner = owner
    }

    /// The calls as they are now.
    package var calls: [Call] { Array(machine.calls.values) }

    /// The providers that can take calls now.
    package var readyProviders: Set<ProviderID> { Set(machine.providers.filter(\.value.isReady).keys) }

    /// Takes in what nobody outside could have brought about. Nobody waits for what it is answered.
    package func submitUnasked(_ input: Input) {
        switch input {
        case .reported(let report, let provider, _):
            submit(.reported(report, by: provider, reply: replies.add { _ in }))
        case .requested(let request, _): submit(.requested(request, reply: replies.add { _ in }))
        default: submit(input)
        }
    }
}
