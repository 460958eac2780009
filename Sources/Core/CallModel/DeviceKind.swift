// DeviceKind: the kinds of devices that a plugin can ask for.

/// A kind of device of the machine. A permission names a kind rather than a file: which files there are differs from
/// machine to machine.
public enum DeviceKind: String, Hashable, Sendable, CaseIterable {
    /// Serial lines over USB, such as those of modems: `/dev/ttyUSB*` and `/dev/ttyACM*`.
    case serial
    /// Sound cards: `/dev/snd`.
    case sound
    /// Cameras: `/dev/video*`.
    case camera
}
