// LoopAlarm: a timer that is set and unset all the time.

/// Calls its handler once each time it has been set, on the loop and never early. Setting and unsetting it costs next to
/// nothing, while each alarm that there is costs every turn of the loop a little. Dropping the alarm unsets it.
@LoopActor
public final class LoopAlarm {
    @LoopActor
    final class Setting {
        var deadline = MonotonicTime.never
        let handler: @LoopActor () -> Void

        init(_ handler: @escaping @LoopActor () -> Void) {
            self.handler = handler
        }
    }

    private let setting: Setting

    public init(handler: @escaping @LoopActor () -> Void) {
        setting = Setting(handler)
        Reactor.shared.add(setting)
    }

    deinit {
        let setting = setting
        Loop.shared.finish { Reactor.shared.remove(setting) }
    }

    public var isSet: Bool { setting.deadline < .never }

    /// Sets the alarm, or moves it if it is set.
    public func set(afterMilliseconds milliseconds: Int) {
        setting.deadline = .now.advanced(byMilliseconds: milliseconds)
    }

    public func unset() {
        setting.deadline = .never
    }
}
