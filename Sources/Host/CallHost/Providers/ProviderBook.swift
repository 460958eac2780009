// ProviderBook: what the other parts ask of providers.

import CallCore
import CallModel
import DBus
import EventLoop

/// Whose the providers are.
@LoopActor
protocol ProviderBook: AnyObject {
    func owner(of provider: ProviderID) -> ProviderOwner?

    /// The providers of an owner, in alphabetical order.
    func owned(by owner: ProviderOwner) -> [ProviderID]

    func areOwned(by owner: ProviderOwner) -> Bool

    /// Who is at the far end of a channel that is neither the bus nor a worker's link.
    func guest(on channel: any MessageChannel) -> Guest?

    /// Reports the loss of a provider to the core, once.
    func lose(_ provider: ProviderID)
}

/// Who is at the far end of a channel within this process.
struct Guest {
    let name: String
    /// Whether it counts as a plugin that came with the system.
    var isPackaged = true
    /// Whose share its providers count towards; nil = a plugin of its name.
    var owner: Owner?
}
