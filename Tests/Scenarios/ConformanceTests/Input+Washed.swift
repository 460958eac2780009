// An input as it is when it has come over a wire: names are made safe to show.

import CallCore
import CallModel

extension Input {
    var washed: Input {
        switch self {
        case .providerRegistered(let id, var configuration, let isPackaged, let owner):
            configuration.wash()
            return .providerRegistered(id, configuration, isPackaged: isPackaged, owner: owner)
        case .providerReconfigured(let id, var configuration):
            configuration.wash()
            return .providerReconfigured(id, configuration)
        case .reported(.incoming(let call, var update), let provider, let reply):
            update.wash()
            return .reported(.incoming(call, update), by: provider, reply: reply)
        case .reported(.updated(let call, var update), let provider, let reply):
            update.wash()
            return .reported(.updated(call, update), by: provider, reply: reply)
        case .reported(.ongoing(let call, let ongoing, var update), let provider, let reply):
            update.wash()
            return .reported(.ongoing(call, ongoing, update), by: provider, reply: reply)
        case .reported(.ended(let call, let at, let reason, var network), let provider, let reply):
            network.code = network.code.networkWord
            return .reported(.ended(call, at: at, reason, network), by: provider, reply: reply)
        case .actionFailed(let action, let word, let reason):
            return .actionFailed(action, word, reason: reason.displayable)
        default: return self
        }
    }
}

extension CallUpdate {
    fileprivate mutating func wash() {
        localizedCallerName = localizedCallerName?.displayable
        networkName = networkName?.displayable
        encryption = encryption?.networkWord
        codec = codec?.networkWord
    }
}

extension ProviderConfiguration {
    fileprivate mutating func wash() {
        localizedName = localizedName.displayable
        status = status.displayable
        for index in customActions.indices { customActions[index].label = customActions[index].label.displayable }
    }
}
