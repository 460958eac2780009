// DrawnNotification: a notification in the form that suits the server that shows it.

import CallModel
import DBus

extension ServerHabits {
    fileprivate func label(_ text: String) -> String {
        switch labels {
        case .text: text
        case .markup: text.escapedXML
        case .mnemonics: text.replacing("&", with: "&&")
        }
    }
}

/// What Notify is called with.
struct DrawnNotification: Sendable, Equatable {
    /// How much a notification stands out.
    enum Emphasis: Sendable {
        case usual
        /// The user wants to see it: it is over the windows, with its buttons.
        case raised
        /// It stays within reach and no more: the user has closed it, or something else matters more.
        case quiet
    }

    let title: String
    let body: String
    /// Keys and labels by turns.
    let actions: [String]
    let icon: String
    let urgency: DesktopNotification.Urgency
    let hints: VariantDictionary
    /// In milliseconds; -1 = the server's own, 0 = none.
    let timeout: Int32
    /// Whether the user sees buttons, for as long as it is there.
    let hasButtons: Bool

    static let defaultKey = "default"

    init(
        _ notification: DesktopNotification, _ emphasis: Emphasis, habits: ServerHabits, capabilities: Set<String>
    ) {
        let hasActions = capabilities.contains("actions")
        let isDrawn = hasActions && habits.drawsButtons
        var text = notification.body
        if !isDrawn, !notification.command.isEmpty { text += "\nIn a terminal: \(notification.command)" }
        title = notification.title
        // Bodies are markup where the server reads it as such.
        body = capabilities.contains("body-markup") ? text.escapedXML : text
        icon = notification.icon
        urgency =
            switch emphasis {
            case .usual: notification.urgency
            case .raised: .critical
            case .quiet: habits.listsLow ? .low : notification.urgency
            }
        actions = hasActions ? Self.actions(of: notification, habits).flatMap { [$0.key, habits.label($0.label)] } : []
        hasButtons =
            isDrawn && !notification.actions.isEmpty && (habits.list != .withoutButtons || urgency == .critical)
        timeout =
            notification.stay == .brief || (notification.isListed && habits.listsExpired && emphasis != .raised)
            ? -1 : habits.longestTimeout
        var hints: VariantDictionary = [
            "urgency": .byte(urgency.rawValue), "category": .string(notification.category),
            // GNOME drops those that are not resident when another one of the same program is clicked.
            "resident": .bool(notification.stay != .brief),
            // What is heard is the ringer's.
            "suppress-sound": .bool(true), "desktop-entry": .string(PhoneApplication.busName),
            // GNOME's lock screen shows all of a program's or none: names are left out by us.
            "x-gnome-privacy-scope": "system",
        ]
        if notification.isTransient { hints["transient"] = .bool(true) }
        if !notification.image.isEmpty { hints["image-path"] = .string(notification.image) }
        self.hints = hints
    }

    /// `default` is last: Budgie does not draw the action after it.
    private static func actions(
        of notification: DesktopNotification, _ habits: ServerHabits
    ) -> [DesktopNotification.Action] {
        let drawn = Array(notification.actions.prefix(habits.maximumButtons))
        // Where buttons may be out of reach, a click shows them.
        let isNeeded = notification.stay != .brief && (habits.showsOne || habits.list == .withoutButtons)
        guard !habits.drawsDefault, let label = notification.click?.label ?? (isNeeded ? "Show" : nil) else {
            return drawn
        }
        return drawn + [DesktopNotification.Action(key: defaultKey, label: label)]
    }
}
