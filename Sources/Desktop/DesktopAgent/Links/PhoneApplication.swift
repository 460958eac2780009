// PhoneApplication: the phone as an application that desktops start and give links to.

package import DBus
package import EventLoop

/// The object behind org.freedesktop.Application of the desktop file org.opencallkit.Phone.
@LoopActor
package final class PhoneApplication {
    /// The name of the desktop file, which is the application's name on the bus.
    package nonisolated static let busName = "org.opencallkit.Phone"
    package nonisolated static let path: ObjectPath = "/org/opencallkit/Phone"
    /// What people read on notifications, in mixers and in settings; Name of the desktop file.
    package nonisolated static let displayName = "Phone"
    /// Its icon in the theme `hicolor`; Icon of the desktop file.
    package nonisolated static let iconName = "org.opencallkit.Phone"
    package nonisolated static let interfaceName = "org.freedesktop.Application"
    /// The most links that are looked at in one request, and the longest one, in bytes.
    private static let maximumLinks = 3
    private static let maximumLength = 1_024

    var onOpen: (@LoopActor (String) throws(DBusError) -> Void)?
    /// Called when the user starts the application, for instance by its icon in a menu.
    var onActivate: (@LoopActor () -> Void)?

    static let interface = Interface<PhoneApplication>(interfaceName) {
        Method("Activate", in: ["platform_data"]) { (application: PhoneApplication, _, _: VariantDictionary) in
            application.onActivate?()
        }
        Method("Open", in: ["uris", "platform_data"]) {
            (application: PhoneApplication, _, links: [String], _: VariantDictionary) throws(DBusError) in
            try application.open(links)
        }
        Method("ActivateAction", in: ["action_name", "parameter", "platform_data"]) {
            (_: PhoneApplication, _, name: String, _: [Variant], _: VariantDictionary) throws(DBusError) in
            throw DBusError(DBusError.Name.invalidArgs, "there is no action \(name.prefix(64))")
        }
    }

    private func open(_ links: [String]) throws(DBusError) {
        guard links.count <= Self.maximumLinks, links.allSatisfy({ $0.utf8.count <= Self.maximumLength }) else {
            throw DBusError(
                DBusError.Name.limitsExceeded,
                "expected at most \(Self.maximumLinks) links of at most \(Self.maximumLength) bytes")
        }
        for link in links { try onOpen?(link) }
    }
}
