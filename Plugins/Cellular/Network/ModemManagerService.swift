// ModemManagerService: the modems that ModemManager has.

import DBus
import EventLoop

/// Follows ModemManager on the system bus: its modems with voice calls come and go, and each is a provider.
@LoopActor
final class ModemManagerService {
    private typealias Name = ModemManagerName

    /// How many modems have a provider at a time.
    static let maximumModems = 8

    private let bus: Bus
    private var providers: [ObjectPath: MobileProvider] = [:]
    private var watch: NameWatch?
    private var subscription: Subscription?
    private var isReading = false
    private var isStale = false

    init(_ bus: Bus) {
        self.bus = bus
        subscription = bus.subscribe(MatchRule(sender: Name.service, interface: Name.objectManager)) { [weak self] _ in
            self?.read()
        }
        watch = bus.watchName(
            Name.service, appeared: { [weak self] _ in self?.read() }, vanished: { [weak self] in self?.keep([]) })
    }

    func close() {
        watch?.cancel()
        subscription?.cancel()
        keep([])
    }

    /// Lets go of the modems that are not among these.
    private func keep(_ paths: Set<ObjectPath>) {
        for (path, provider) in providers where !paths.contains(path) {
            providers[path] = nil
            provider.close()
        }
    }

    /// Reads which modems there are. What changes meanwhile is read afterwards.
    private func read() {
        isStale = true
        guard !isReading else { return }
        isReading = true
        Task { @LoopActor in
            while isStale {
                isStale = false
                await readOnce()
            }
            isReading = false
        }
    }

    private func readOnce() async {
        let managed: [ObjectPath: InterfaceProperties]
        do throws(DBusError) {
            managed = try await bus.call(
                to: Name.service, at: Name.root, Name.objectManager, "GetManagedObjects", timeout: .seconds(10))
        } catch {
            return
        }
        let modems = managed.filter { $0.value[Name.modem] != nil && $0.value[Name.voice] != nil }
        keep(Set(modems.keys))
        for (path, properties) in modems.sorted(by: { $0.key.text < $1.key.text }) where providers[path] == nil {
            guard providers.count < Self.maximumModems, watch?.owner != nil else { return }
            // A modem tells who it is once it has been initialized.
            guard let modem = properties[Name.modem], modem["DeviceIdentifier", default: ""] != "" else { continue }
            let taken = Set(providers.values.map(\.modem.key))
            providers[path] = MobileProvider(ModemManagerModem(bus, path, properties, taken: taken))
        }
    }
}
