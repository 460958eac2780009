// AudioRoutes1: the routes on the bus.

import CallModel
import DBus
import EventLoop

extension AudioRoutes {
    static let interface = Interface<AudioRoutes>(Contract.audioRoutes) {
        Method("Choose", in: ["id"]) { (routes: AudioRoutes, _, id: String) throws(DBusError) in
            try routes.choose(id)
        }
        Method("Forget") { (routes: AudioRoutes, _) throws(DBusError) in try routes.forget() }
        Property("Routes") { $0.routes.map(\.wire) }
        Property("Current") { $0.current }
        Property("Remembered") { $0.plan.remembered.map(\.rawValue) }
    }
}

extension AudioRoute {
    fileprivate var wire: VariantDictionary {
        [
            "id": .string(id), "name": .string(name.displayable), "kind": .string(kind.rawValue),
            "available": .bool(isAvailable),
        ]
    }
}
