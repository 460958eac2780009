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

    private let bus: Bus
    private let path: ObjectPath
    let key: String
    let name: String
    var onChange: (@LoopActor () -> Void)?
    private var properties: InterfaceProperties
    private var sim: VariantDictionary = [:]
    private var simPath: ObjectPath?
    /// The calls that have not ended, by their objects, in the order in which they were seen.
    private var records: [(path: ObjectPath, record: Record)] = [] {
        didSet { noteNumbering(oldValue) }
    }
    private var causes: [String: EndCause] = [:]
    /// Since when ModemManager has read the modem's list now and then, with the calls that there are; nil while it does not.
    private var readsListSince: MonotonicTime?
    /// Whether the modem does not answer any more, and ModemManager has not noticed.
    private var isLost = false
    private var answersProbes = true
    private var subscriptions: [Subscription] = []

    /// How long ModemManager may take.
    private static let answerTimeout = Duration.milliseconds(4_500)
    private static let numberingTime = Duration.milliseconds(2_700)
    private static let dialTimeout = Duration.seconds(30)
    /// Networks take a minute at most; the system waits for longer.
    private static let exchangeTimeout = Duration.seconds(85)

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
                self?.merge($0, of: interface, at: path)
                if interface == Name.modem { self?.readSIM() }
            }
        }
        readUSSD()
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

    func removeEndCause(of call: String) -> EndCause {
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
            guard let self else { return }
            readUSSD()
            // ModemManager talks with the modem again.
            guard isLost else { return }
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
                self?.merge(changed, of: interface, at: path)
            })
    }

    private func listen(
        path: ObjectPath?, _ interface: String, _ member: String, _ handler: @escaping @LoopActor (Message) -> Void
    ) {
        let rule = MatchRule(sender: Name.service, path: path, interface: interface, member: member)
        subscriptions.append(bus.subscribe(rule, handler: handler))
    }

    private func merge(_ changed: VariantDictionary, of interface: String, at path: ObjectPath) {
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
        all(of: found, Name.sim) { [weak self] in self?.merge($0, of: Name.sim, at: found) }
    }

    /// The interface may come after the modem, such as with the PIN of the SIM card.
    private func readUSSD() {
        guard properties[Name.ussd] == nil else { return }
        all(of: path, Name.ussd) { [weak self] in
            self?.properties[Name.ussd] = $0
            self?.onChange?()
        }
    }

    /// Reads all properties of an interface, if they can be read.
    private func all(
        of path: ObjectPath, _ interface: String, then handle: @escaping @LoopActor (VariantDictionary) -> Void
    ) {
        bus.fetch(from: Name.service, at: path, Name.properties, "GetAll", interface) {
            (values: Result<VariantDictionary, DBusError>) in
            if let values = try? values.get() { handle(values) }
        }
    }

    // MARK: whether it is there

    func probe() async throws(ModemFailure) {
        if isLost { throw .gone }
        // Of what a modem can be asked, its clock costs least, and the network is not asked.
        guard answersProbes, properties[Name.time] != nil else { return }
        do throws(DBusError) {
            let _: String = try await bus.call(
                to: Name.service, at: path, Name.time, "GetNetworkTime", timeout: .seconds(2))
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

extension ModemManagerModem {
    func refresh() async {
        await withCheckedContinuation { continuation in readCalls { continuation.resume() } }
    }

    /// Reads the list of calls, and each call.
    private func readCalls(then done: @escaping @LoopActor () -> Void) {
        bus.fetch(from: Name.service, at: path, Name.voice, "ListCalls") {
            [weak self] (list: Result<[ObjectPath], DBusError>) in
            guard let self, let list = try? list.get() else { return done() }
            let listed = Array(list.prefix(MobileCall.maximum))
            for call in records.map(\.path) where !listed.contains(call) { remove(call, .unknown) }
            // ModemManager lists the newest call first.
            var left = listed.count
            if left == 0 { done() }
            for call in listed.reversed() {
                read(call) {
                    left -= 1
                    if left == 0 { done() }
                }
            }
        }
    }

    /// Reads one call.
    private func read(_ call: ObjectPath, then done: @escaping @LoopActor () -> Void = {}) {
        bus.fetch(from: Name.service, at: call, Name.properties, "GetAll", Name.call) {
            [weak self] (values: Result<VariantDictionary, DBusError>) in
            if let self, let values = try? values.get() { note(values, of: call) }
            done()
        }
    }

    private func note(_ values: VariantDictionary, of call: ObjectPath) {
        let state = ModemManagerCallState(rawValue: values["State", default: Int32(0)]) ?? .unknown
        let record = Record(
            state: state, isOutgoing: Self.isOutgoing(values), number: PhoneDigits.shown(values["Number", default: ""]),
            isMultiparty: values["Multiparty", default: false])
        if let index = records.firstIndex(where: { $0.path == call }) {
            records[index].record = record
        } else if records.count < MobileCall.maximum {
            records.append((call, record))
        }
        if state == .terminated {
            set(.terminated, of: call, values["StateReason", default: Int32(0)])
        } else {
            onChange?()
        }
    }

    /// MMCallDirection: 2 is outgoing. Its type is another than documented in some versions.
    private static func isOutgoing(_ values: VariantDictionary) -> Bool {
        values["Direction", default: Int32(0)] == 2 || values["Direction", default: UInt32(0)] == 2
    }

    private func set(_ state: ModemManagerCallState, of call: ObjectPath, _ reason: Int32) {
        guard let index = records.firstIndex(where: { $0.path == call }) else { return }
        let before = records[index].record.state
        if state == .terminated {
            let why = ModemManagerCallReason(rawValue: reason) ?? .unknown
            remove(call, why.cause(wasConnected: before == .active || before == .held))
            // The object of an ended call stays until somebody deletes it.
            Task { @LoopActor in
                try? await bus.call(to: Name.service, at: path, Name.voice, "DeleteCall", call)
            }
        } else if state != before {
            records[index].record.state = state
            onChange?()
        }
    }

    private func remove(_ call: ObjectPath, _ cause: EndCause) {
        guard let index = records.firstIndex(where: { $0.path == call }) else { return }
        records.remove(at: index)
        if causes.count >= MobileCall.maximum { causes = [:] }
        causes[call.text] = cause
        onChange?()
    }
}

extension ModemManagerModem {
    func perform(_ service: SupplementaryService) async throws(ModemFailure) {
        switch service {
        case .exchange: try await ask(path, Name.voice, "HoldAndAccept")
        case .releaseAndAccept: try await ask(path, Name.voice, "HangupAndAccept")
        case .accept(let call): try await ask(call, "Accept")
        case .hangUp(let call):
            if calls.count > 1 || calls[call]?.phase == .held { await numbering() }
            try await ask(call, "Hangup")
        case .join(let call):
            // Calls that are joined before they are numbered are never told apart.
            await numbering()
            try await ask(call, "JoinMultiparty")
        case .leave(let call): try await ask(call, "LeaveMultiparty")
        }
    }

    /// Waits until ModemManager knows which of the modem's calls is which. It reads the modem's list every two seconds while
    /// a call waits or is held. Before that, it ends any call with a command that ends the active one.
    private func numbering() async {
        guard let due = readsListSince?.advanced(by: Self.numberingTime) else { return }
        let left = due.duration(since: .now)
        if left > .zero { await LoopTimer.pause(for: left) }
    }

    func dial(
        _ number: String, hidesNumber: Bool?, created: @escaping @LoopActor (String) -> Void
    ) async throws(ModemFailure) {
        let call: ObjectPath
        // ModemManager has no word for it; the modem knows the code (3GPP TS 22.030, 6.5.5.1).
        let number = (hidesNumber.map { $0 ? "#31#" : "*31#" } ?? "") + number
        do throws(DBusError) {
            call = try await bus.call(
                to: Name.service, at: path, Name.voice, "CreateCall", ["number": Variant.string(number)],
                timeout: Self.answerTimeout)
        } catch {
            throw failure(error)
        }
        created(call.text)
        do throws(ModemFailure) {
            try await ask(call, Name.call, "Start", timeout: Self.dialTimeout)
        } catch {
            try? await bus.call(to: Name.service, at: path, Name.voice, "DeleteCall", call)
            throw error
        }
    }

    func sendTones(_ digits: String, to call: String) async throws(ModemFailure) {
        guard let tones = PhoneDigits.tones(digits) else { throw .refused("the digits are no tones") }
        guard let path = ObjectPath(call) else { return }
        for tone in tones {
            if tone == "," {
                await LoopTimer.pause(for: PhoneDigits.pause)
                continue
            }
            do throws(DBusError) {
                try await bus.call(
                    to: Name.service, at: path, Name.call, "SendDtmf", String(tone),
                    timeout: Self.answerTimeout)
            } catch {
                throw failure(error)
            }
        }
    }

    func exchange(_ text: String, isReply: Bool) async throws(ModemFailure) -> NetworkAnswer {
        let member = isReply ? "Respond" : "Initiate"
        do throws(DBusError) {
            let answer: String = try await bus.call(
                to: Name.service, at: path, Name.ussd, member, text, timeout: Self.exchangeTimeout)
            let state: Variant = try await bus.call(
                to: Name.service, at: path, Name.properties, "Get", Name.ussd, "State", timeout: Self.answerTimeout)
            return NetworkAnswer(text: answer, asks: state == .uint32(ModemManagerUSSDState.userResponse.rawValue))
        } catch {
            throw failure(error)
        }
    }

    func cancelExchange() async {
        try? await bus.call(to: Name.service, at: path, Name.ussd, "Cancel", timeout: Self.answerTimeout)
    }

    func setMuted(_ isMuted: Bool) async throws(ModemFailure) {
        throw .refused("ModemManager does not mute: mute the microphone")
    }

    private func ask(_ call: String, _ member: String) async throws(ModemFailure) {
        guard let path = ObjectPath(call) else { throw .refused("the modem has no such call") }
        try await ask(path, Name.call, member)
    }

    private func ask(
        _ object: ObjectPath, _ interface: String, _ member: String, timeout: Duration = ModemManagerModem.answerTimeout
    ) async throws(ModemFailure) {
        if isLost { throw .gone }
        do throws(DBusError) {
            try await bus.call(to: Name.service, at: object, interface, member, timeout: timeout)
        } catch {
            // A call that is not there any more has ended.
            if member == "Hangup",
                error.name == DBusError.Name.unknownObject
                    || error.name == DBusError.Name.unknownMethod
            {
                return
            }
            throw failure(error)
        }
    }

    private func failure(_ error: DBusError) -> ModemFailure {
        let failure = ModemFailure(error)
        if failure == .gone { lose() }
        return failure
    }
}
