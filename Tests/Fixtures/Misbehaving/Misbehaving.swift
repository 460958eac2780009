// A test plugin that misbehaves on request.

import Dispatch
import Glibc
import OpenCallKit

final class Misbehaving: CXProviderDelegate {
    let provider: CXProvider
    private var timer: (any DispatchSourceTimer)?
    private var calls: Set<UUID> = []

    init() {
        let configuration = CXProviderConfiguration(localizedName: "Misbehaving")
        configuration.supportedHandleTypes = [.generic]
        configuration.customActions = ["segfault", "blurt", "trap", "exit", "hang", "garbage", "report", "storm"].map {
            CXCustomButton(identifier: $0, label: $0)
        }
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
    }

    /// Tells the far side of each call in the file `farewells`, after a moment, as a network does.
    func providerDidReset(_ provider: CXProvider) {
        let lines = calls.map { "\($0)\n" }.joined()
        calls = []
        guard !lines.isEmpty, let home = getenv("HOME") else { return }
        let path = String(cString: home) + "/farewells"
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(50)) {
            let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            write(file, lines, lines.utf8.count)
            close(file)
        }
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        calls.insert(action.callUUID)
        action.fulfill()
        provider.reportOutgoingCall(with: action.callUUID, connectedAt: nil)
    }

    /// Reports a thousand changes of a call in a second, without end.
    private func storm() {
        let call = UUID()
        var count = 0
        provider.reportNewIncomingCall(with: call, update: CXCallUpdate()) { [self] _ in
            let timer = DispatchSource.makeTimerSource()
            timer.schedule(deadline: .now(), repeating: .milliseconds(1))
            timer.setEventHandler { [self] in
                count += 1
                let update = CXCallUpdate()
                update.localizedCallerName = "\(count)"
                provider.reportCall(with: call, updated: update)
            }
            timer.resume()
            self.timer = timer
        }
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.fulfill() }
    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        calls.remove(action.callUUID)
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        switch action.identifier {
        case "segfault": UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case "trap": _ = [0][Int(getpid())]
        case "blurt": fatalError("no line to Zacharias Quartermaine, +46701740605")
        case "exit": exit(0)
        case "hang": while true { pause() }
        case "garbage": for descriptor in 3..<16 as Range<Int32> { send(descriptor, "garbage", 7, 0) }
        case "storm":
            action.fulfill(with: [:])
            storm()
        default: action.fulfill(with: [:])
        }
    }
}

@c(opencallkit_plugin_main) public func pluginMain(_ link: CInt) -> CInt { PluginMain.run(link) { Misbehaving() } }
