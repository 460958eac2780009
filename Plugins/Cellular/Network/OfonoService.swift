// OfonoService: the modems that oFono has.

import DBus
import EventLoop

/// Follows oFono: its modems come and go, and each is a provider.
@LoopActor
final class OfonoService {
    private typealias Name = OfonoName

    private let bus: Bus
    private let service: String
    private var providers: [ObjectPath: MobileProvider] = [:]
    private var watch: NameWatch?
    private var subscriptions: [Subscription] = []

    init(_ bus: Bus, _ service: String) {
        (self.bus, self.service) = (bus, service)
        listen("ModemAdded") { [weak self] signal in
            guard let (path, modem) = try? signal.read(ObjectPath.self, VariantDictionary.self) else { return }
            self?.add(path, modem)
        }
        listen("ModemRemoved") { [weak self] signal in
            guard let path = try? signal.read(ObjectPath.self) else { return }
            self?.providers.removeValue(forKey: path)?.close()
        }
        watch = bus.watchName(
            service, appeared: { [weak self] _ in self?.read() }, vanished: { [weak self] in self?.forgetAll() })
    }

    func close() {
        watch?.cancel()
        for subscription in subscriptions { subscription.cancel() }
        forgetAll()
    }

    private func listen(_ member: String, _ handler: @escaping @LoopActor (Message) -> Void) {
        let rule = MatchRule(sender: service, path: Name.root, interface: Name.manager, member: member)
        subscriptions.append(bus.subscribe(rule, handler: handler))
    }

    private func forgetAll() {
        let all = providers.values
        providers = [:]
        for provider in all { provider.close() }
    }

    private func read() {
        bus.fetch(from: service, at: Name.root, Name.manager, "GetModems", timeout: .seconds(10)) {
            [weak self] (list: Result<[Struct<ObjectPath, VariantDictionary>], DBusError>) in
            guard let self, let list = try? list.get() else { return }
            for modem in list { add(modem.fields.0, modem.fields.1) }
        }
    }

    private func add(_ path: ObjectPath, _ modem: VariantDictionary) {
        guard providers[path] == nil, providers.count < ModemManagerService.maximumModems else { return }
        providers[path] = MobileProvider(OfonoModem(bus, service, path, modem))
    }
}
