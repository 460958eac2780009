// OfonoModem: a modem that oFono drives, or another service with oFono's interfaces.

import DBus
import EventLoop

@LoopActor
final class OfonoModem: VoiceModem {
    typealias Name = OfonoName

    private let bus: Bus
    private let service: String
    private let path: ObjectPath
    let key: String
    let name: String
    var onChange: (@LoopActor () -> Void)?
    private var properties: InterfaceProperties
    /// The calls that have not ended, by their objects, in the order in which they were seen.
    private var records: [MobileCall] = []
    private var causes: [String: EndCause] = [:]
    private var subscriptions: [Subscription] = []

    private static let answerTimeout = Duration.milliseconds(4_500)
    private static let dialTimeout = Duration.seconds(30)
    /// Networks take a minute at most; the system waits for longer.
    private static let exchangeTimeout = Duration.seconds(85)

    init(_ bus: Bus, _ service: String, _ path: ObjectPath, _ modem: VariantDictionary) {
        (self.bus, self.service, self.path) = (bus, service, path)
        properties = [Name.modem: modem]
        key = StableKey.of(service, path.text)
        let model = modem["Name", default: modem["Model", default: ""]]
        name = model.isEmpty ? "Mobile" : "Mobile (\(model.prefix(64)))"
        subscribe()
        readAll()
    }

    var condition: ModemCondition { ModemCondition(ofono: properties) }
    var calls: [MobileCall] { records }

    func removeEndCause(of call: String) -> EndCause {
        hasCalls ? causes.removeValue(forKey: call) ?? .unknown : .modemGone
    }

    /// Whether the modem can carry calls at all. Without power it has none.
    private var hasCalls: Bool {
        properties[Name.modem]?["Interfaces", default: [String]()].contains(Name.calls) == true
    }

    func close() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
    }

    // oFono sees by itself when a modem is unplugged.
    func probe() async throws(ModemFailure) {}

    // MARK: properties

    private func subscribe() {
        for interface in [Name.modem, Name.sim, Name.registration, Name.calls] {
            listen(interface, "PropertyChanged") { [weak self] signal in
                guard let (key, value) = try? signal.read(String.self, Variant.self) else { return }
                self?.merge([key: value], of: interface)
            }
        }
        listen(Name.calls, "CallAdded") { [weak self] signal in
            guard let (call, values) = try? signal.read(ObjectPath.self, VariantDictionary.self) else { return }
            self?.add(call, values)
        }
        listen(Name.calls, "CallRemoved") { [weak self] signal in
            guard let call = try? signal.read(ObjectPath.self) else { return }
            self?.remove(call.text)
        }
        listen(Name.call, "PropertyChanged", below: true) { [weak self] signal in
            guard let call = signal.path, let (key, value) = try? signal.read(String.self, Variant.self) else { return }
            self?.change(call.text, key, value)
        }
        listen(Name.call, "DisconnectReason", below: true) { [weak self] signal in
            guard let self, let call = signal.path, let reason = try? signal.read(String.self) else { return }
            if causes.count >= MobileCall.maximum { causes = [:] }
            causes[call.text] = Name.cause(reason)
        }
    }

    private func listen(
        _ interface: String, _ member: String, below: Bool = false,
        _ handler: @escaping @LoopActor (Message) -> Void
    ) {
        let rule = MatchRule(
            sender: service, path: below ? nil : path, pathNamespace: below ? path : nil, interface: interface,
            member: member)
        subscriptions.append(bus.subscribe(rule, handler: handler))
    }

    private func readAll() {
        read(Name.modem)
        for interface in [Name.sim, Name.registration, Name.calls] { read(interface) }
        readCalls {}
    }

    private func read(_ interface: String) {
        bus.fetch(from: service, at: path, interface, "GetProperties") {
            [weak self] (values: Result<VariantDictionary, DBusError>) in
            if let values = try? values.get() { self?.merge(values, of: interface) }
        }
    }

    private func merge(_ values: VariantDictionary, of interface: String) {
        let before: [String] = properties[Name.modem]?["Interfaces", default: []] ?? []
        properties[interface, default: [:]].merge(values) { $1 }
        if interface == Name.modem, values["Interfaces"] != nil {
            let now: [String] = values["Interfaces", default: []]
            for gone in before where !now.contains(gone) && gone != Name.modem { properties[gone] = nil }
            for new in [Name.sim, Name.registration, Name.calls] where now.contains(new) && !before.contains(new) {
                read(new)
            }
            if !now.contains(Name.calls) { records = [] } else if !before.contains(Name.calls) { readCalls {} }
        }
        onChange?()
    }

    // MARK: calls

    func refresh() async {
        await withCheckedContinuation { continuation in readCalls { continuation.resume() } }
    }

    private func readCalls(then done: @escaping @LoopActor () -> Void) {
        bus.fetch(from: service, at: path, Name.calls, "GetCalls") {
            [weak self] (list: Result<[Struct<ObjectPath, VariantDictionary>], DBusError>) in
            defer { done() }
            guard let self, let list = try? list.get() else { return }
            let listed = list.prefix(MobileCall.maximum).map(\.fields)
            records.removeAll { call in !listed.contains { $0.0.text == call.id } }
            for (call, values) in listed { add(call, values) }
        }
    }

    private func add(_ call: ObjectPath, _ values: VariantDictionary) {
        guard let phase = Name.phase(values["State", default: ""]) else { return remove(call.text) }
        // oFono does not tell who has called whom; it is known of calls that were seen before they were connected.
        let isOutgoing = records[call.text]?.isOutgoing ?? (phase == .dialing || phase == .alerting)
        let new = MobileCall(
            id: call.text, isOutgoing: isOutgoing, phase: phase,
            number: PhoneDigits.shown(values["LineIdentification", default: ""]),
            isMultiparty: values["Multiparty", default: false])
        if let index = records.firstIndex(where: { $0.id == call.text }) {
            records[index] = new
        } else if records.count < MobileCall.maximum {
            records.append(new)
        }
        onChange?()
    }

    private func remove(_ call: String) {
        guard records[call] != nil else { return }
        records.removeAll { $0.id == call }
        onChange?()
    }

    private func change(_ call: String, _ key: String, _ value: Variant) {
        guard let index = records.firstIndex(where: { $0.id == call }) else { return }
        switch (key, value) {
        case ("State", .string(let word)):
            guard let phase = Name.phase(word) else { return remove(call) }
            records[index].phase = phase
        case ("Multiparty", .bool(let isMultiparty)): records[index].isMultiparty = isMultiparty
        case ("LineIdentification", .string(let number)): records[index].number = PhoneDigits.shown(number)
        default: return
        }
        onChange?()
    }
}

extension OfonoModem {
    func perform(_ service: SupplementaryService) async throws(ModemFailure) {
        switch service {
        case .exchange:
            // One service of the network has two names here.
            let isWaiting = !calls.ids(.waiting, .incoming).isEmpty
            try await ask(path, Name.calls, isWaiting ? "HoldAndAnswer" : "SwapCalls")
        case .releaseAndAccept: try await ask(path, Name.calls, "ReleaseAndAnswer")
        case .accept(let call): try await ask(call, "Answer")
        case .hangUp(let call): try await ask(call, "Hangup")
        case .join: try await conference("CreateMultiparty")
        case .leave(let call):
            guard let call = ObjectPath(call) else { return }
            try await conference("PrivateChat", call)
        }
    }

    func dial(
        _ number: String, hidesNumber: Bool?, created: @escaping @LoopActor (String) -> Void
    ) async throws(ModemFailure) {
        let call: ObjectPath
        let hiding = hidesNumber.map { $0 ? "enabled" : "disabled" } ?? ""
        do throws(DBusError) {
            call = try await bus.call(
                to: service, at: path, Name.calls, "Dial", number, hiding, timeout: Self.dialTimeout)
        } catch {
            throw error.name == "org.ofono.Error.Failed" ? .notReached(.notReached) : ModemFailure(error)
        }
        // The call may be announced after the answer.
        if records[call.text] == nil {
            add(call, ["State": "dialing", "LineIdentification": .string(number)])
        }
        created(call.text)
    }

    func sendTones(_ digits: String, to call: String) async throws(ModemFailure) {
        guard let tones = PhoneDigits.tones(digits) else { throw .refused("the digits are no tones") }
        for part in tones.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0 { await LoopTimer.pause(for: PhoneDigits.pause) }
            if part.element.isEmpty { continue }
            do throws(DBusError) {
                try await bus.call(
                    to: service, at: path, Name.calls, "SendTones", String(part.element),
                    timeout: Self.answerTimeout)
            } catch {
                throw ModemFailure(error)
            }
        }
    }

    func exchange(_ text: String, isReply: Bool) async throws(ModemFailure) -> NetworkAnswer {
        do throws(DBusError) {
            let answer: String
            if isReply {
                answer = try await bus.call(
                    to: service, at: path, Name.services, "Respond", text, timeout: Self.exchangeTimeout)
            } else {
                let (kind, result): (String, Variant) = try await bus.call(
                    to: service, at: path, Name.services, "Initiate", text, timeout: Self.exchangeTimeout)
                answer = OfonoServiceResult.text(of: result, kind)
            }
            let now: VariantDictionary = try await bus.call(
                to: service, at: path, Name.services, "GetProperties", timeout: Self.answerTimeout)
            return NetworkAnswer(text: answer, asks: now["State", default: ""] == "user-response")
        } catch {
            throw ModemFailure(error)
        }
    }

    func cancelExchange() async {
        try? await bus.call(to: service, at: path, Name.services, "Cancel", timeout: Self.answerTimeout)
    }

    func setMuted(_ isMuted: Bool) async throws(ModemFailure) {
        do throws(DBusError) {
            try await bus.call(
                to: service, at: path, Name.volume, "SetProperty", "Muted", Variant.bool(isMuted),
                timeout: Self.answerTimeout)
        } catch {
            throw ModemFailure(error)
        }
    }

    private func conference<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument
    ) async throws(ModemFailure) {
        do throws(DBusError) {
            let _: [ObjectPath] = try await bus.call(
                to: service, at: path, Name.calls, member, repeat each arguments, timeout: Self.answerTimeout)
        } catch {
            throw ModemFailure(error)
        }
    }

    private func ask(_ call: String, _ member: String) async throws(ModemFailure) {
        guard let path = ObjectPath(call) else { throw .refused("the modem has no such call") }
        try await ask(path, Name.call, member)
    }

    private func ask(_ object: ObjectPath, _ interface: String, _ member: String) async throws(ModemFailure) {
        do throws(DBusError) {
            try await bus.call(to: service, at: object, interface, member, timeout: Self.answerTimeout)
        } catch {
            let isOver = [DBusError.Name.unknownObject, DBusError.Name.unknownMethod].contains(error.name)
            if member == "Hangup", isOver { return }
            throw ModemFailure(error)
        }
    }
}
