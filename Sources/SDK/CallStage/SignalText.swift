// Somebody who watches the bus: its signals in the words of the core's transcript.

import CallCore
import CallModel
package import DBus
package import EventLoop

@LoopActor
package enum SignalText {
    /// What a signal says; nil for one that the core knows nothing of.
    package static func text(of signal: Message) -> String? {
        switch signal.member {
        case "InterfacesAdded":
            guard let (path, interfaces) = try? signal.read(ObjectPath.self, [String: VariantDictionary].self) else {
                return "malformed \(signal.signature)"
            }
            return added(path, interfaces)
        case "InterfacesRemoved":
            guard let (path, _) = try? signal.read(ObjectPath.self, [String].self) else {
                return "malformed \(signal.signature)"
            }
            if let call = Contract.call(at: path.text) { return "removed \(call.scenarioText)" }
            return Contract.provider(at: path.text).map { "provider-removed \($0)" }
        case "PropertiesChanged":
            guard let path = signal.path,
                let (interface, values, _) = try? signal.read(String.self, VariantDictionary.self, [String].self)
            else { return "malformed \(signal.signature)" }
            return changed(path, interface, values)
        case "CallEnded":
            guard let (path, reason, origin) = try? signal.read(ObjectPath.self, String.self, String.self) else {
                return "malformed \(signal.signature)"
            }
            return "call-ended \(name(path)) \(reason) by \(origin)"
        case "CallFiltered":
            guard let (path, reason, by) = try? signal.read(ObjectPath.self, String.self, String.self) else {
                return "malformed \(signal.signature)"
            }
            return "filtered \(name(path)) \(reason) by \(by)"
        case "ResumeSuggested":
            return (try? signal.read(ObjectPath.self)).map { "resume-suggested \(name($0))" }
        case "Anomaly":
            guard let (kind, path, text) = try? signal.read(String.self, ObjectPath.self, String.self) else {
                return "malformed \(signal.signature)"
            }
            if path.text == Contract.rootPath { return "anomaly \(kind) system: \(text)" }
            let subject = Contract.call(at: path.text) == nil ? "provider" : "call"
            return "anomaly \(kind) \(subject) \(name(path)): \(text)"
        default: return nil
        }
    }

    private static func added(_ path: ObjectPath, _ interfaces: [String: VariantDictionary]) -> String? {
        if let id = Contract.provider(at: path.text) { return "provider-added \(id)" }
        guard let call = Contract.call(at: path.text), let values = interfaces[Contract.call] else { return nil }
        return "added \(call.scenarioText)" + text(of: values, only: ["State", "RingMode", "AnswerOptions", "Can"])
    }

    private static func changed(_ path: ObjectPath, _ interface: String, _ values: VariantDictionary) -> String? {
        switch interface {
        case Contract.call:
            let text = text(of: values)
            return "changed \(name(path))" + (text.isEmpty ? " dates" : text)
        case Contract.callIdentity: return "identity \(name(path))"
        case Contract.provider:
            return "provider-changed \(name(path)) \((try? values.value("State", as: String.self)) ?? "")"
        case Contract.audioSession:
            guard let holder = try? values.value("Provider", as: ObjectPath.self) else { return "malformed audio" }
            return "audio \(name(holder))"
        case Contract.callSystem:
            guard let active = try? values.value("ActiveCall", as: ObjectPath.self) else { return nil }
            return "active-call \(name(active))"
        default: return nil
        }
    }

    private static let words: [(property: String, word: String)] = [
        ("State", "state"), ("HeldBy", "held-by"), ("RemoteHeld", "remote-held"), ("Muted", "muted"),
        ("Translation", "translation"), ("Video", "video"), ("Group", "group"), ("RingMode", "ring"),
        ("AnswerOptions", "answer-options"),
        ("Can", "can"),
    ]

    private static func text(of values: VariantDictionary, only wanted: Set<String>? = nil) -> String {
        var text = ""
        for (property, word) in words where wanted?.contains(property) ?? true {
            guard let value = values[property] else { continue }
            let plain: String
            if let flag = try? value.value(as: Bool.self) {
                plain = flag ? "yes" : "no"
            } else if let list = try? value.value(as: [String].self) {
                plain = list.joined(separator: ",")
            } else if let texts = (try? value.value(as: Struct<String, String, String>.self))?.fields {
                plain = texts.0.isEmpty ? "" : "\(texts.0),\(texts.1),\(texts.2)"
            } else {
                plain = (try? value.value(as: String.self)) ?? "?"
            }
            text += " \(word)=\(plain.isEmpty ? "none" : plain)"
        }
        return text
    }

    /// A call as the files call it, a provider by its id, `none` for nothing.
    private static func name(_ path: ObjectPath) -> String {
        if path == .root { return "none" }
        return Contract.call(at: path.text)?.scenarioText ?? Contract.provider(at: path.text)?.rawValue ?? path.text
    }
}
