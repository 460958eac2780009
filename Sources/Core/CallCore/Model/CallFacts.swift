// What a call is and whom it is with, apart from what happens to it.

import CallModel

/// Shared by all copies of a call: it changes rarely, and calls are copied all the time.
final class CallFacts: Sendable, Hashable {
    let provider: ProviderID
    let handle: Handle?
    let callerName: String
    let nameSource: CallerNameSource
    let contact: String
    let screening: Screening?
    /// Here because it is as rare as the rest; it is not about who calls.
    let translation: Translation?

    init(
        provider: ProviderID, handle: Handle? = nil, callerName: String = "",
        nameSource: CallerNameSource = .none, contact: String = "", screening: Screening? = nil,
        translation: Translation? = nil
    ) {
        self.provider = provider
        self.handle = handle
        self.callerName = callerName
        self.nameSource = nameSource
        self.contact = contact
        self.screening = screening
        self.translation = translation
    }

    /// The same but for the translation.
    func translated(_ translation: Translation?) -> CallFacts {
        CallFacts(
            provider: provider, handle: handle, callerName: callerName, nameSource: nameSource, contact: contact,
            screening: screening, translation: translation)
    }

    /// Returns whether CallIdentity1 has the same properties.
    func isSameIdentity(as other: CallFacts) -> Bool {
        handle == other.handle && callerName == other.callerName && nameSource == other.nameSource
            && contact == other.contact
    }

    static func == (left: CallFacts, right: CallFacts) -> Bool {
        left.provider == right.provider && left.isSameIdentity(as: right) && left.translation == right.translation
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(provider)
        hasher.combine(handle)
        hasher.combine(callerName)
        hasher.combine(contact)
    }
}
