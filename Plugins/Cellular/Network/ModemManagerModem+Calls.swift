// The list of calls of a modem that ModemManager drives.

import DBus
import EventLoop

extension ModemManagerModem {
    func refresh() async {
        await withCheckedContinuation { continuation in readCalls { continuation.resume() } }
    }

    /// Reads the list of calls, and each call.
    func readCalls(then done: @escaping @LoopActor () -> Void) {
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
    func read(_ call: ObjectPath, then done: @escaping @LoopActor () -> Void = {}) {
        bus.fetch(from: Name.service, at: call, Name.properties, "GetAll", Name.call) {
            [weak self] (values: Result<VariantDictionary, DBusError>) in
            if let self, let values = try? values.get() { take(values, of: call) }
            done()
        }
    }

    private func take(_ values: VariantDictionary, of call: ObjectPath) {
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

    func set(_ state: ModemManagerCallState, of call: ObjectPath, _ reason: Int32) {
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

    func remove(_ call: ObjectPath, _ cause: EndCause) {
        guard let index = records.firstIndex(where: { $0.path == call }) else { return }
        records.remove(at: index)
        if causes.count >= MobileCall.maximum { causes = [:] }
        causes[call.text] = cause
        onChange?()
    }
}
