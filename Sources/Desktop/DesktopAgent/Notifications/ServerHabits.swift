// ServerHabits: what each server of notifications does with what it is asked to show.

/// The habits of a server by which notifications are drawn. Without a row in `known`, a server gets those that lose
/// nothing with any server.
struct ServerHabits: Sendable, Equatable {
    /// Where notifications lie that are no longer over the windows.
    enum List: Sendable {
        case none
        case withoutButtons
        case withButtons
    }

    /// How the labels of buttons are read.
    enum Labels: Sendable {
        case text
        case markup
        /// `&` stands before the letter that is pressed.
        case mnemonics
    }

    /// Draws buttons where it says that it has actions.
    var drawsButtons = true
    /// The most buttons that are drawn, the click on the notification itself not among them.
    var maximumButtons = 16
    /// Draws the action `default` as one more button; a click on the notification itself closes it.
    var drawsDefault = false
    var labels = Labels.text
    /// A notification that is changed in its place loses its buttons, or keeps the old ones.
    var spoilsChanged = false
    /// Shows one over the windows at a time; another one waits behind it, whatever its urgency.
    var showsOne = false
    var list = List.none
    /// Shows those of low urgency in its list alone.
    var listsLow = false
    /// Puts those into its list that have no timeout of their own, after a while.
    var listsExpired = false
    /// The timeout of what should stay until it is withdrawn, in milliseconds; 0 = none.
    var longestTimeout: Int32 = 0
    /// Lets also that expire, after some seconds.
    var expiresAll = false

    /// May be all that is seen anywhere.
    static let unknown = ServerHabits(
        maximumButtons: 3, spoilsChanged: true, showsOne: true, list: .withoutButtons, expiresAll: true)

    /// - Parameters:
    ///   - name: as GetServerInformation says it.
    ///   - version: as well.
    static func known(_ name: String, _ version: String) -> ServerHabits {
        switch name {
        // 43.9: a changed notification has its buttons no more, and critical ones are only posted once; the tray has no
        // buttons, and a click there without `default` drops all that are not resident. The tray stays open after a click, and
        // shows no banner of what is posted meanwhile.
        // 48.7: changes well; the tray has buttons behind an arrow. With animations off, what has waited behind another
        // banner is never shown. Both: three buttons, one banner, low urgency in the tray alone.
        case "gnome-shell":
            let isOld = (version.split(separator: ".").first.flatMap { Int($0) } ?? 0) < 46
            return ServerHabits(
                maximumButtons: 3, spoilsChanged: isOld, showsOne: true, list: isOld ? .withoutButtons : .withButtons,
                listsLow: true)
        // 5.27.5 and 6.3.6: what has a timeout of 0 lies over the desktop until it is closed, and is in the history with
        // its buttons; what expires is closed with reason 1, and in the history without them.
        case "Plasma": return ServerHabits(list: .withButtons, listsExpired: true)
        // 5.6.8: one banner; a critical one goes to the applet after ten seconds, with its buttons.
        case "cinnamon": return ServerHabits(showsOne: true, list: .withButtons)
        // 1.26.0: a label that is no markup makes an empty button; the user's close has reason 1.
        case "Notification Daemon": return ServerHabits(labels: .markup)
        // 1.2.0: a changed notification keeps its old buttons; `default` is a button; more than three actions are one
        // list, with the last of them chosen. Qt reads labels.
        case "lxqt-notificationd":
            return ServerHabits(maximumButtons: 3, drawsDefault: true, labels: .mnemonics, spoilsChanged: true)
        // 10.7.1: does not draw the action after `default`, which so is last everywhere; sends `default` after each
        // button; closes all with reason 1, after 6 s (timeout 0) to 12 s (the longest), at once while a window is
        // full-screen, and then before it has answered Notify.
        case "Budgie Notification Server": return ServerHabits(longestTimeout: .max, expiresAll: true)
        // 1.7.1: draws no buttons, and closes what an action was chosen of.
        case "mako": return ServerHabits(drawsButtons: false)
        // 0.7.3.
        case "SwayNotificationCenter": return ServerHabits(list: .withButtons, listsExpired: true)
        // 1.9.0: actions are a menu, `default` among them.
        case "dunst": return ServerHabits(drawsDefault: true)
        // 0.7.3: `default` is a button.
        case "Xfce Notify Daemon": return ServerHabits(drawsDefault: true)
        default: return unknown
        }
    }
}
