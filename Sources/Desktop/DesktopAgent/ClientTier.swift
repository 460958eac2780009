// ClientTier: whether a client of the bus may do what the agent would do for it.

import CallClient
import CallModel
import DBus
import EventLoop

/// The agent is a program of the user, and the daemon lets it do everything. So it asks the daemon about a client before
/// it acts on calls for that client.
@LoopActor
final class ClientTier {
    private let model: CallSystemModel
    /// How many clients are being asked for.
    private var asked = 0
    private static let maximumAsked = 16

    init(_ model: CallSystemModel) { self.model = model }

    /// Calls `allowed` if a client has a tier, and answers its call with an error if it has not.
    func check(
        _ tier: AccessTier, of invocation: VoidInvocation, allowed: @escaping @LoopActor () -> Void
    ) {
        guard let client = invocation.context.sender, asked < Self.maximumAsked else {
            return invocation.fail(DBusError(DBusError.Name.limitsExceeded, "too many clients ask at the same time"))
        }
        asked += 1
        model.request(
            DaemonPath.access, Contract.access, "HasTier", client, tier.rawValue,
            timeout: CallSystemModel.quickTimeout
        ) { [weak self] result in
            self?.asked -= 1
            do throws(DBusError) {
                if try result.get().read(Bool.self) { return allowed() }
                throw DBusError(
                    DBusError.Name.accessDenied,
                    "\(client) lacks the tier \(tier.rawValue), expected of all that act on calls; see callctl access")
            } catch {
                invocation.fail(error)
            }
        }
    }
}
