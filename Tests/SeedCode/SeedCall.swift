// Code as it is written for telephones, in Swift 5: it must compile and work unchanged.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
#else
    import OpenCallKit
#endif

public class SeedCall {
    public enum State { case connecting, active, held, ended }
    public enum ConnectedState { case pending, complete }

    public let uuid: UUID
    public let outgoing: Bool
    public let handle: String
    public var state: State = .ended { didSet { stateChanged?() } }
    public var connectedState: ConnectedState = .pending { didSet { connectedStateChanged?() } }
    public var stateChanged: (() -> Void)?
    public var connectedStateChanged: (() -> Void)?

    public init(uuid: UUID, outgoing: Bool = false, handle: String) {
        self.uuid = uuid
        self.outgoing = outgoing
        self.handle = handle
    }

    func start(completion: ((_ success: Bool) -> Void)?) {
        completion?(true)
        DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(3000)) {
            self.state = .connecting
            self.connectedState = .pending
            DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(1500)) {
                self.state = .active
                self.connectedState = .complete
            }
        }
    }

    func answer() { state = .active }
    func end() { state = .ended }
}
