// AskedPermission: a permission that a plugin asks for, as its bus object shows it.

import DBus

/// One permission that a plugin asks for.
package struct AskedPermission: Sendable {
    package let text: String
    package let isNeeded: Bool
    package let isGranted: Bool
    /// The plugin's own words; empty if it gives no reason.
    package let reason: String
}

extension Record {
    /// The permissions that a plugin asks for; those that it needs come first.
    package var permissions: [AskedPermission] {
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
