// Signals of the bus, in the text of the core's transcript.

import CallCore
import CallModel
import CallWire
package import DBus
package import EventLoop

/// Reads signals in order. It remembers earlier values, since a signal carries only changes.
@LoopActor
package final class SignalReader {
    private var providerStates: [ObjectPath: String] = [:]
    private var audioHolder = ObjectPath.root
    private var audioPhase = "idle"
    private var audioAgent = ""

    package init() {}

    /// Returns the text of a signal; nil for a signal that the core does not send.
    package func text(of signal: Message) -> String? {
        do { return try read(signal) } catch { return "malformed \(signal.signature)" }
    }

    private func read(_ signal: Message) throws(DBusError) -> String? {
        switch try Announcement(signal) {
        case .added(let path, let interfaces): return added(path, interfaces)
        case .changed(let path, let interface, let values, _): return changed(path, interface, values)
        case .removed(let path, _):
            if let call = Contract.call(at: path.text) { return "removed \(call.scenarioText)" }
            return Contract.provider(at: path.text).map { "provider-removed \($0)" }
        case nil: return try event(signal)
        }
    }

    /// Reads a signal that tells more than properties.
    private func event(_ signal: Message) throws(DBusError) -> String? {
        switch signal.member {
        case "CallEnded":
            let (path, reason, origin) = try signal.read(ObjectPath.self, String.self, String.self)
            return "call-ended \(Self.name(path)) \(reason) by \(origin)"
        case "CallFiltered":
            let (path, reason, by, _) = try signal.read(ObjectPath.self, String.self, String.self, Int64.self)
            return "filtered \(Self.name(path)) \(reason) by \(by)"
        case "ResumeSuggested":
            return "resume-suggested \(Self.name(try signal.read(ObjectPath.self)))"
        case "Anomaly":
            let (kind, path, text) = try signal.read(String.self, ObjectPath.self, String.self)
            if path.text == Contract.rootPath { return "anomaly \(kind) system: \(text)" }
            let subject = Contract.call(at: path.text) == nil ? "provider" : "call"
            return "anomaly \(kind) \(subject) \(Self.name(path)): \(text)"
        default: return nil
        }
    }

    private func added(_ path: ObjectPath, _ interfaces: [String: VariantDictionary]) -> String? {
        if let id = Contract.provider(at: path.text) {
            providerStates[path] = try? interfaces[Contract.provider]?.value("State", as: String.self)
            return "provider-added \(id)"
        }
        guard let call = Contract.call(at: path.text), let values = interfaces[Contract.call] else { return nil }
        return "added \(call.scenarioText)"
            + Self.text(
                of: values,
                only: [
                    CallProperty.state, CallProperty.ringMode, CallProperty.answerOptions, CallProperty.can,
                ])
    }

    private func changed(_ path: ObjectPath, _ interface: String, _ values: VariantDictionary) -> String? {
        switch interface {
        case Contract.call:
            let text = Self.text(of: values)
            return "changed \(Self.name(path))" + (text.isEmpty ? " dates" : text)
        case Contract.callIdentity: return "identity \(Self.name(path))"
        case Contract.provider:
            if let state = try? values.value("State", as: String.self) { providerStates[path] = state }
            return "provider-changed \(Self.name(path)) \(providerStates[path] ?? "")"
        case Contract.audioSession:
            if let holder = try? values.value("Provider", as: ObjectPath.self) { audioHolder = holder }
            if let phase = try? values.value("Phase", as: String.self) { audioPhase = phase }
            if let agent = try? values.value("Agent", as: String.self) { audioAgent = agent }
            let isPassing = audioPhase != "idle" && audioPhase != "active"
            return "audio \(isPassing ? audioPhase : Self.name(audioHolder))"
                + (audioAgent.isEmpty ? "" : " agent=\(audioAgent)")
        case Contract.callSystem:
            for (property, word) in Self.rootWords {
                if let call = try? values.value(property, as: ObjectPath.self) { return "\(word) \(Self.name(call))" }
            }
            return nil
        default: return nil
        }
    }

    private static let rootWords = [
        ("ActiveCall", "active-call"), ("Ringing", "ringing"), ("SuggestedResume", "suggested-resume"),
    ]

    private static func text(of values: VariantDictionary, only wanted: Set<String>? = nil) -> String {
        var text = ""
        for field in PublishedCall.fields where wanted?.contains(field.name) ?? true {
            guard let word = field.word, let value = values[field.name] else { continue }
            let plain = PlainValue(value, field.kind)?.text ?? "?"
            text += " \(word)=\(plain.isEmpty ? "none" : plain)"
        }
        return text
    }

    /// Returns a call's name in scenario files, a provider's id, or `none` for the root.
    private static func name(_ path: ObjectPath) -> String {
        if path == .root { return "none" }
        return Contract.call(at: path.text)?.scenarioText ?? Contract.provider(at: path.text)?.rawValue ?? path.text
    }
}
