// ContactWire: a contact as callkit-contacts hands it over.

internal import CallModel
internal import DBus

/// UID, name, the handles (type, normalized value, label, what is dialed after it), and the bytes of the picture.
typealias ContactWire = Struct<String, String, [Struct<String, String, String, String>], [UInt8]>

extension ContactHandle {
    /// Nil for a type that is unknown.
    init?(wire: Struct<String, String, String, String>) {
        let (type, value, label, postDial) = wire.fields
        guard let type = HandleType(rawValue: type) else { return nil }
        let isValid = (try? CallAction.checkDigits(postDial)) != nil
        self.init(
            value: value, type: type, label: ContactLabel(rawValue: label) ?? .none, postDial: isValid ? postDial : "")
    }
}
