// Short names for the fixed paths of the contract.

import CallWire
import DBus

extension ObjectPath {
    static let system = ContractPath.system
    static let calls = ContractPath.calls
    static let providers = ContractPath.providers
    static let plugins = ContractPath.plugins
    static let audio = ContractPath.audio
    static let recents = ContractPath.recents
    static let favorites = ContractPath.favorites
    static let directory = ContractPath.directory
    static let store = ContractPath.store
}
