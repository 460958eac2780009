// PulseLoop: our loop as libpulse sees it.

internal import CSound
internal import EventLoop

/// libpulse's table of functions for descriptors, times and idle work, on `Loop.shared`. The objects behind libpulse's
/// pointers are those below; libpulse frees each of them.
@LoopActor
enum PulseLoop {
    /// Lives as long as the process.
    nonisolated(unsafe) static let api: UnsafeMutablePointer<pa_mainloop_api> = {
        let api = UnsafeMutablePointer<pa_mainloop_api>.allocate(capacity: 1)
        api.initialize(
            to: pa_mainloop_api(
                userdata: nil,
                io_new: { _, descriptor, flags, callback, data in
                    let data = UInt(bitPattern: data)
                    return here { PulseDescriptor(descriptor, flags, callback, data).kept }
                },
                io_enable: { event, flags in
                    let event = UInt(bitPattern: event)
                    here { PulseDescriptor.at(event).enable(flags) }
                },
                io_free: { event in
                    let event = UInt(bitPattern: event)
                    here { PulseDescriptor.at(event).free() }
                },
                io_set_destroy: { event, callback in
                    let event = UInt(bitPattern: event)
                    here { PulseDescriptor.at(event).onFree = callback }
                },
                time_new: { _, time, callback, data in
                    let data = UInt(bitPattern: data)
                    let time = time?.pointee
                    return here { PulseTimer(time, callback, data).kept }
                },
                time_restart: { event, time in
                    let event = UInt(bitPattern: event)
                    let time = time?.pointee
                    here { PulseTimer.at(event).set(time) }
                },
                time_free: { event in
                    let event = UInt(bitPattern: event)
                    here { PulseTimer.at(event).free() }
                },
                time_set_destroy: { event, callback in
                    let event = UInt(bitPattern: event)
                    here { PulseTimer.at(event).onFree = callback }
                },
                defer_new: { _, callback, data in
                    let data = UInt(bitPattern: data)
                    return here { PulseIdleWork(callback, data).kept }
                },
                defer_enable: { event, isOn in
                    let event = UInt(bitPattern: event)
                    here { PulseIdleWork.at(event).enable(isOn != 0) }
                },
                defer_free: { event in
                    let event = UInt(bitPattern: event)
                    here { PulseIdleWork.at(event).free() }
                },
                defer_set_destroy: { event, callback in
                    let event = UInt(bitPattern: event)
                    here { PulseIdleWork.at(event).onFree = callback }
                },
                quit: { _, _ in }))
        return api
    }()
}

/// libpulse calls on the loop's thread alone, since nobody else calls it.
private func here<Value: Sendable>(_ body: @LoopActor () -> Value) -> Value { LoopActor.assumeIsolated(body) }

private func here(_ body: @LoopActor () -> OpaquePointer?) -> OpaquePointer? {
    OpaquePointer(bitPattern: LoopActor.assumeIsolated { UInt(bitPattern: body()) })
}

/// A descriptor that libpulse watches.
@LoopActor
private final class PulseDescriptor {
    var onFree: pa_io_event_destroy_cb_t?
    private let descriptor: Int32
    private let callback: pa_io_event_cb_t?
    private let data: UInt
    private var watch: FileWatch?

    init(_ descriptor: Int32, _ flags: pa_io_event_flags_t, _ callback: pa_io_event_cb_t?, _ data: UInt) {
        self.descriptor = descriptor
        self.callback = callback
        self.data = data
        watch = try? FileWatch(descriptor, Self.readiness(flags)) { [weak self] in self?.deliver($0) }
    }

    func enable(_ flags: pa_io_event_flags_t) { watch?.events = Self.readiness(flags) }

    private func deliver(_ ready: Readiness) {
        var flags: UInt32 = 0
        if ready.contains(.readable) { flags |= PA_IO_EVENT_INPUT.rawValue }
        if ready.contains(.writable) { flags |= PA_IO_EVENT_OUTPUT.rawValue }
        if ready.contains(.hangUp) { flags |= PA_IO_EVENT_HANGUP.rawValue }
        callback?(
            PulseLoop.api, pointer, descriptor, pa_io_event_flags_t(flags), UnsafeMutableRawPointer(bitPattern: data))
    }

    private static func readiness(_ flags: pa_io_event_flags_t) -> Readiness {
        var readiness: Readiness = []
        if flags.rawValue & PA_IO_EVENT_INPUT.rawValue != 0 { readiness.insert(.readable) }
        if flags.rawValue & PA_IO_EVENT_OUTPUT.rawValue != 0 { readiness.insert(.writable) }
        return readiness
    }

    func free() {
        watch?.cancel()
        watch = nil
        onFree?(PulseLoop.api, pointer, UnsafeMutableRawPointer(bitPattern: data))
        release()
    }
}

/// A time of libpulse. A foreign loop gets times of the wall clock.
@LoopActor
private final class PulseTimer {
    var onFree: pa_time_event_destroy_cb_t?
    private let callback: pa_time_event_cb_t?
    private let data: UInt
    private var timer: LoopTimer?

    init(_ time: timeval?, _ callback: pa_time_event_cb_t?, _ data: UInt) {
        self.callback = callback
        self.data = data
        set(time)
    }

    func set(_ time: timeval?) {
        timer?.cancel()
        timer = nil
        guard let time else { return }
        let due = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
        let wait = max(0, due - Int64(clamping: WallClock.microseconds))
        timer = LoopTimer(after: .microseconds(wait)) { [weak self] in self?.fire(time) }
    }

    private func fire(_ time: timeval) {
        var time = time
        callback?(PulseLoop.api, pointer, &time, UnsafeMutableRawPointer(bitPattern: data))
    }

    func free() {
        timer?.cancel()
        timer = nil
        onFree?(PulseLoop.api, pointer, UnsafeMutableRawPointer(bitPattern: data))
        release()
    }
}

/// Work that libpulse does in each round of the loop, as long as it is enabled.
@LoopActor
private final class PulseIdleWork {
    var onFree: pa_defer_event_destroy_cb_t?
    private let callback: pa_defer_event_cb_t?
    private let data: UInt
    private var isEnabled = true
    private var isPosted = false

    init(_ callback: pa_defer_event_cb_t?, _ data: UInt) {
        self.callback = callback
        self.data = data
        post()
    }

    func enable(_ isOn: Bool) {
        isEnabled = isOn
        if isOn { post() }
    }

    private func post() {
        guard !isPosted else { return }
        isPosted = true
        Loop.shared.post { [weak self] in
            guard let self else { return }
            isPosted = false
            guard isEnabled else { return }
            callback?(PulseLoop.api, pointer, UnsafeMutableRawPointer(bitPattern: data))
            if isEnabled { post() }
        }
    }

    func free() {
        isEnabled = false
        onFree?(PulseLoop.api, pointer, UnsafeMutableRawPointer(bitPattern: data))
        release()
    }
}

/// An object behind a pointer of libpulse, which keeps it alive until it frees it.
private protocol PulseObject: AnyObject {}

extension PulseObject {
    var pointer: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }
    var kept: OpaquePointer? { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

    func release() { Unmanaged.passUnretained(self).release() }

    /// - Parameter address: of an object that `kept` has kept.
    static func at(_ address: UInt) -> Self {
        Unmanaged<Self>.fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped).takeUnretainedValue()
    }
}

extension PulseDescriptor: PulseObject {}
extension PulseTimer: PulseObject {}
extension PulseIdleWork: PulseObject {}
