// ModemManagerModem: a modem that ModemManager drives.

import DBus
import EventLoop

@LoopActor
final class ModemManagerModem: VoiceModem {
    typealias Name = ModemManagerName

    /// A call's object.
    struct Record {
        var state: ModemManagerCallState
        var isOutgoing: Bool
        var number: String
        var isMultiparty: Bool
    }

    let bus: Bus
    let path: ObjectPath
    let key: String
    let name: String
    var onChange: (@LoopActor () -> Void)?
    private(set) var properties: InterfaceProperties
    private var sim: VariantDictionary = [:]
    private var simPath: ObjectPath?
    /// The calls that have not ended, by their objects, in the order in which they were seen.
    var records: [(path: ObjectPath, record: Record)] = [] {
        didSet { noteNumbering(oldValue) }
    }
    var causes: [String: EndCause] = [:]
    /// Since when ModemManager has read the modem's list now and then, with the calls that there are; nil while it does not.
    private(set) var readsListSince: MonotonicTime?
    /// Whether the modem does not answer any more, and ModemManager has not noticed.
    private(set) var isLost = false
    private var answersProbes = true
    private var subscriptions: [Subscription] = []

    /// How long ModemManager may take, in milliseconds.
    static let patience = 4_500
    static let numberingTime = 2_700
    static let dialPatience = 30_000

    /// - Parameter taken: the keys of the other modems. One that cannot be told from another gets a number.
    init(_ bus: Bus, _ path: ObjectPath, _ properties: InterfaceProperties, taken: Set<String>) {
        (self.bus, self.path, self.properties) = (bus, path, properties)
        let modem = properties[Name.modem] ?? [:]
        let model = modem["Model", default: ""]
        let own = StableKey.of(modem["DeviceIdentifier", default: ""], modem["EquipmentIdentifier", default: ""])
        let keys = [own] + (2...ModemManagerService.maximumModems).map { "\(own)_\($0)" }
        key = keys.first { !taken.contains($0) } ?? own
        name = model.isEmpty ? "Mobile" : "Mobile (\(model.prefix(64)))"
        subscribe()
        // What has changed since the properties were read is not known.
        for interface in [Name.modem, Name.voice, Name.modem3GPP] {
            all(of: path, interface) { [weak self] in
                self?.take($0, of: interface, at: path)
                if interface == Name.modem { self?.readSIM() }
            }
        }
        readCalls {}
    }

    var condition: ModemCondition {
        isLost ? .lost : ModemCondition(modem: properties, sim: sim)
    }

    var calls: [MobileCall] {
        if isLost { return [] }
        return records.compactMap { path, record in
            record.state.phase.map {
                MobileCall(
                    id: path.text, isOutgoing: record.isOutgoing, phase: $0, number: record.number,
                    isMultiparty: record.isMultiparty)
            }
        }
    }

    private func noteNumbering(_ before: [(path: ObjectPath, record: Record)]) {
        let isRead = records.contains { [.held, .waiting, .dialing, .ringingOut].contains($0.record.state) }
        let isNew = records.contains { now in !before.contains { $0.path == now.path } }
        if !isRead { readsListSince = nil } else if isNew || readsListSince == nil { readsListSince = .now }
    }

    func takeEndCause(of call: String) -> EndCause {
        isLost ? .modemGone : causes.removeValue(forKey: call) ?? .unknown
    }

    func close() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
    }

    /// The modem does not answer: it has no calls any more, whatever ModemManager says.
    func lose() {
        guard !isLost else { return }
        isLost = true
        onChange?()
    }

    // MARK: signals

    private func subscribe() {
        listen(path: path, Name.voice, "CallAdded") { [weak self] signal in
            guard let call = try? signal.read(ObjectPath.self) else { return }
            self?.read(call)
        }
        listen(path: path, Name.voice, "CallDeleted") { [weak self] signal in
            guard let call = try? signal.read(ObjectPath.self) else { return }
            self?.remove(call, .unknown)
        }
        listen(path: nil, Name.call, "StateChanged") { [weak self] signal in
            guard let call = signal.path, let (_, state, reason) = try? signal.read(Int32.self, Int32.self, UInt32.self)
            else { return }
            self?.set(ModemManagerCallState(rawValue: state) ?? .unknown, of: call, Int32(clamping: reason))
        }
        listen(path: path, Name.modem, "StateChanged") { [weak self] _ in
            // ModemManager talks with the modem again.
            guard let self, isLost else { return }
            isLost = false
            readCalls {}
        }
        subscriptions.append(
            bus.subscribe(
                MatchRule(sender: Name.service, interface: Name.properties, member: "PropertiesChanged")
            ) { [weak self] signal in
                guard let path = signal.path,
                    let (interface, changed, _) = try? signal.read(
                        String.self, VariantDictionary.self, [String].self)
                else { return }
                self?.take(changed, of: interface, at: path)
            })
    }

    private func listen(
        path: ObjectPath?, _ interface: String, _ member: String, _ handler: @escaping @LoopActor (Message) -> Void
    ) {
        let rule = MatchRule(sender: Name.service, path: path, interface: interface, member: member)
        subscriptions.append(bus.subscribe(rule, handler: handler))
    }

    private func take(_ changed: VariantDictionary, of interface: String, at path: ObjectPath) {
        if path == self.path, properties[interface] != nil {
            properties[interface]?.merge(changed) { $1 }
            if interface == Name.modem, changed["Sim"] != nil { readSIM() }
        } else if path == simPath, interface == Name.sim {
            sim.merge(changed) { $1 }
        } else if interface == Name.call, let index = records.firstIndex(where: { $0.path == path }) {
            if let isMultiparty = try? changed.value("Multiparty", as: Bool.self) {
                records[index].record.isMultiparty = isMultiparty
            }
            if let number = try? changed.value("Number", as: String.self) {
                records[index].record.number = PhoneDigits.shown(number)
            }
        } else {
            return
        }
        onChange?()
    }

    private func readSIM() {
        let found: ObjectPath = properties[Name.modem]?["Sim", default: "/"] ?? "/"
        if simPath != found { sim = [:] }
        simPath = found
        guard found != .root else { return }
        all(of: found, Name.sim) { [weak self] in self?.take($0, of: Name.sim, at: found) }
    }

    /// Reads all properties of an interface, if they can be read.
    func all(of path: ObjectPath, _ interface: String, then take: @escaping @LoopActor (VariantDictionary) -> Void) {
        bus.fetch(from: Name.service, at: path, Name.properties, "GetAll", interface) {
            (values: Result<VariantDictionary, DBusError>) in
            if let values = try? values.get() { take(values) }
        }
    }

    // MARK: whether it is there

    func probe() async throws(ModemFailure) {
        if isLost { throw .gone }
        // Of what a modem can be asked, its clock costs least, and the network is not asked.
        guard answersProbes, properties[Name.time] != nil else { return }
        do throws(DBusError) {
            let _: String = try await bus.call(
                to: Name.service, at: path, Name.time, "GetNetworkTime", timeoutMilliseconds: 2_000)
        } catch {
            switch ModemFailure(error) {
            case .gone:
                lose()
                throw .gone
            // It has no clock, or it is busy with something that takes long.
            case .refused, .notReached: if error.name != DBusError.Name.timeout { answersProbes = false }
            }
        }
    }
}
