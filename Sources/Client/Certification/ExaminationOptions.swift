// How a plugin is examined: where the worker is, how long to wait, how much to ask.

public import CallModel

public struct ExaminationOptions: Sendable {
    /// Where callkit-worker is.
    public var worker: String
    /// Of this process; workers get what callkitd would give them of it.
    public var environment: [String: String]
    /// How long each action, ping, registration and release may take, in milliseconds, from 1.
    public var patience = 2_000
    /// How long the Hello may take, in milliseconds, from 1.
    public var helloPatience = Int(Deadlines()[.hello])
    /// How long an outgoing call may take until it is connected, in milliseconds, from 1.
    public var connectPatience = 5_000
    /// After how many calls memory and descriptors are counted again, from 1.
    public var calls = 1_000
    /// What a call may leave behind, in bytes. An allocator's own rounding comes to less than 100.
    public var memoryPerCall = 1_024
    /// Who is called; nil is a made-up handle of a type that the provider declares.
    public var handle: Handle?
    /// The points to report. Others are examined where these need them.
    public var points = Set(Point.allCases)

    public init(worker: String, environment: [String: String]) {
        self.worker = worker
        self.environment = environment
    }
}
