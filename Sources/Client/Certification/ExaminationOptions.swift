// ExaminationOptions: the worker, the time limits and the points of an examination.

public import CallModel

public struct ExaminationOptions: Sendable {
    /// The path of callkit-worker.
    public var worker: String
    /// This process's environment; workers get the part that callkitd would pass on.
    public var environment: [String: String]
    /// Whether the plugin runs in the sandbox.
    public var isSandboxed = true
    /// What the plugin may use besides what it asks for, and what it may not use although it asks for it.
    public var granted: Set<Permission> = []
    public var denied: Set<Permission> = []
    /// The time limit for an action, a ping, a registration or a release, from 1 ms.
    public var answerTimeout = Duration.seconds(2)
    /// The time limit for Hello, from 1 ms.
    public var helloTimeout = Duration.milliseconds(Deadlines()[.hello])
    /// The time limit for connecting an outgoing call, from 1 ms.
    public var connectTimeout = Duration.seconds(5)
    /// The time limit for connecting an account, and for a network to be noted as lost or back, from 1 ms.
    public var accountTimeout = Duration.seconds(30)
    /// The program, with its arguments, that takes the network away; and the one that gives it back. Empty = none.
    public var loseNetwork: [String] = []
    public var restoreNetwork: [String] = []
    /// The program, with its arguments, that calls the provider from the far side; empty = its button does.
    public var callIn: [String] = []
    /// The number of calls after which memory and descriptors are measured again, from 1.
    public var calls = 1_000
    /// The memory that each call may leave behind, in bytes. An allocator's rounding takes less than 100.
    public var memoryPerCall = 1_024
    /// The handle to call; nil is an invented handle of a type that the provider declares.
    public var handle: Handle?
    /// The points to report. Other points are examined if these depend on them.
    public var points = Set(Point.allCases)

    public init(worker: String, environment: [String: String]) {
        self.worker = worker
        self.environment = environment
    }
}
