// What a provider says when it refuses.

import CallModel
import DBus

extension DBusError {
    /// Its text for people, made safe to show, behind the name if that says more than that it failed.
    var words: String {
        let text = message.displayable
        if RefusalWord(busName: name) != nil { return text }
        let name: String
        switch ErrorCode(busName: self.name) {
        case .actionFailed?: return text
        case let code?: name = code.rawValue
        case nil: name = self.name
        }
        guard name != DBusError.Name.failed else { return text }
        return text.isEmpty ? name : "\(name): \(text)"
    }
}
