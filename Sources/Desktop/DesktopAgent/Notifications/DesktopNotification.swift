// DesktopNotification: what a notification says, and its buttons.

/// A notification as the Desktop Notifications Specification describes it, for any server.
struct DesktopNotification: Sendable, Equatable {
    struct Action: Sendable, Equatable {
        /// The word that comes back when it is chosen.
        let key: String
        let label: String
    }

    enum Urgency: UInt8, Sendable {
        case low = 0
        case normal = 1
        /// Stays over all windows until it is withdrawn.
        case critical = 2
    }

    /// How long it is there.
    enum Stay: Sendable {
        /// Goes by itself.
        case brief
        /// Waits for an answer until it is withdrawn. The user's close is one if there were buttons.
        case waiting
        /// Until it is withdrawn, in a list if there is one.
        case ongoing
        /// Until it is withdrawn, over the windows.
        case ringing
    }

    var title: String
    var body = ""
    /// The most important ones first: servers draw some of them only. The first one may have the focus.
    var actions: [Action] = []
    /// What a click on the notification itself means; nil = it is shown again with its buttons.
    var click: Action?
    /// What people can type where the server shows no buttons; "" = nothing.
    var command = ""
    var urgency = Urgency.normal
    /// A category of the specification or of portals, such as `call.incoming`.
    var category: String
    /// The absolute path of a picture; "" = none.
    var image = ""
    /// A name of the icon theme.
    var icon = PhoneApplication.iconName
    var stay = Stay.brief
    /// Whether no list keeps it.
    var isTransient = false
    /// Whether it may go to the list of a server that keeps one.
    var isListed = false
}
