// The text form of handles: `tel:100`, `mailto:ann@example.org`, `type:value`, or a word for a generic handle.

import CallModel

extension Handle {
    /// Reads a handle of a scenario or a recording exactly as it is written.
    init(text: String) throws(CallError) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let type: HandleType? =
            switch halves[0] {
            case "tel": .phoneNumber
            case "mailto": .emailAddress
            case let name: HandleType(rawValue: name)
            }
        if let type, halves.count == 2 {
            try self.init(type: type, value: halves[1])
        } else {
            try self.init(type: .generic, value: text)
        }
    }
}
