// AskedPermission: a permission that a plugin asks for, as its bus object shows it.

import CallClient
import DBus

/// One permission that a plugin asks for.
struct AskedPermission {
    let text: String
    let isNeeded: Bool
    let isGranted: Bool
    /// The plugin's own words; empty if it gives no reason.
    let reason: String

}

extension [AskedPermission] {
    /// The permissions as tables show them: first those that are not granted, each with a question mark. A narrow table
    /// cuts the others off.
    var marked: String {
        (filter { !$0.isGranted }.map { "\($0.text)?" } + filter(\.isGranted).map(\.text)).joined(separator: ", ")
    }
}

extension Record {
    /// The permissions that a plugin asks for; those that it needs come first.
    var permissions: [AskedPermission] {
        let granted = Set(words("Granted"))
        let reasons: [String: String] = value("Reasons") ?? [:]
        func asked(_ property: String) -> [AskedPermission] {
            words(property).map { text in
                AskedPermission(
                    text: text, isNeeded: property == "Needs", isGranted: granted.contains(text),
                    reason: reasons[text] ?? "")
            }
        }
        return asked("Needs") + asked("MayUse")
    }
}
