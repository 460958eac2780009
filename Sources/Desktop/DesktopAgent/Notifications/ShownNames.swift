// ShownNames: what notifications say of calls, and what they leave out while the screen is locked.

import CallClient
import CallModel
import DBus
import EventLoop
import Glibc

extension DesktopContext {
    /// Whether notifications leave out who calls.
    var hidesNames: Bool { screenLock.isLocked && !settings.values.showsNamesWhenLocked }

    /// The name of a call's provider for people; one that has left is called by its id.
    func providerName(of call: PublishedCall) -> String {
        (model.state.provider(of: call)?.name ?? call.provider?.rawValue ?? "").displayable
    }
}

extension PublishedCall {
    /// Who is at the far side of a call, for people.
    var party: String { CallWords.english.party(of: self) }

    /// When the call was connected, as a time of day such as `14:05`; nil = not yet.
    var connectedTimeOfDay: String? {
        guard let moment = connectedTime else { return nil }
        var seconds = time_t(moment.microseconds / 1_000_000)
        var local = tm()
        localtime_r(&seconds, &local)
        return "\(local.tm_hour / 10)\(local.tm_hour % 10):\(local.tm_min / 10)\(local.tm_min % 10)"
    }
}
