// DesktopNotification: what a notification says, and its buttons.

/// A notification as the Desktop Notifications Specification describes it.
struct DesktopNotification: Sendable, Equatable {
    struct Action: Sendable, Equatable {
        /// The word that comes back when it is chosen; `default` is a click on the notification itself.
        let key: String
        let label: String
    }

    enum Urgency: UInt8, Sendable {
        case low = 0
        case normal = 1
        /// Stays until it is withdrawn, also over full-screen windows.
        case critical = 2
    }

    var title: String
    var body = ""
    var actions: [Action] = []
    /// What people can type where the server shows no buttons; "" = nothing.
    var command = ""
    var urgency = Urgency.normal
    /// A category of the specification or of portals, such as `call.incoming`.
    var category: String
    /// The absolute path of a picture; "" = none.
    var image = ""
    /// A name of the icon theme.
    var icon = "call-start"
    /// Whether it stays after an action, until it is withdrawn.
    var isResident = false
    /// Whether it stays until it is withdrawn.
    var isLasting = false
}
