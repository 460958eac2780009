// An input as it is when it has come over a wire: names are made safe to show.

import CallCore
import CallModel

extension Input {
    var washed: Input {
        switch self {
        case .providerRegistered(let id, var configuration):
            configuration.wash()
            return .providerRegistered(id, configuration)
        case .providerReconfigured(let id, var configuration):
            configuration.wash()
            return .providerReconfigured(id, configuration)
        case .reported(.incoming(let call, var update), let provider, let reply):
            update.wash()
            return .reported(.incoming(call, update), by: provider, reply: reply)
        case .reported(.updated(let call, var update), let provider, let reply):
            update.wash()
            return .reported(.updated(call, update), by: provider, reply: reply)
        case .actionFailed(let action, let reason): return .actionFailed(action, reason: reason.displayable)
        default: return self
        }
    }
}

extension CallUpdate {
    fileprivate mutating func wash() { localizedCallerName = localizedCallerName?.displayable }
}

extension ProviderConfiguration {
    fileprivate mutating func wash() {
        localizedName = localizedName.displayable
        for index in customActions.indices { customActions[index].label = customActions[index].label.displayable }
    }
}
