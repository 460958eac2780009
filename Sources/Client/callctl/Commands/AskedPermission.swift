// What a plugin asks for, as the bus shows it.

import CallClient
import DBus

/// One permission that a plugin asks for.
struct AskedPermission {
    let text: String
    let isNeeded: Bool
    let isGranted: Bool
    /// The plugin's own words; empty if it gives no reason.
    let reason: String

    /// As tables show it: a question mark stands behind what is not granted.
    var mark: String { isGranted ? text : "\(text)?" }
}

extension Record {
    /// What a plugin asks for, what it needs first.
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
