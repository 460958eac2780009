// Code as it is written for telephones: the seed's app, whose Swift stands in these files word for word. It must compile
// and work with only its imports changed, as Swift 5 and as Swift 6.

#if canImport(CallKit)
    import Foundation
#else
    import OpenCallKit
#endif

enum CallState { case connecting, active, held, ended }
enum ConnectedState { case pending, complete }

class Call {
    let uuid: UUID
    let outgoing: Bool
    let handle: String
    var state: CallState = .ended { didSet { stateChanged?() } }
    var connectedState: ConnectedState = .pending { didSet { connectedStateChanged?() } }
    var stateChanged: (() -> Void)?
    var connectedStateChanged: (() -> Void)?

    init(uuid: UUID, outgoing: Bool = false, handle: String) {
        self.uuid = uuid
        self.outgoing = outgoing
        self.handle = handle
    }

    /// The other seed counts in nanoseconds.
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
