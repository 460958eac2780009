// OtherApp: the app of a provider that is not under test.

internal import CallCore
internal import CallModel
internal import CallStage
internal import DBus
internal import EventLoop
internal import OpenCallKit

/// A scripted provider that answers all its actions in one way.
@LoopActor
final class OtherApp {
    private let link: MemoryLink
    private var provider: ScriptedProvider?
    private var conduct = TestProvider.Conduct.fulfills
    private var performs = 0
    private(set) var heard: [ProviderEvent] = []

    init(_ link: MemoryLink, name: String, _ holdModel: HoldModel) {
        self.link = link
        let provider = ScriptedProvider(on: link) { [weak self] in self?.receive($0) }
        self.provider = provider
        var configuration = ProviderConfiguration()
        configuration.supportedHandleTypes = HandleType.allCases
        configuration.supportsVideo = true
        configuration.supportsTransfer = true
        configuration.holdModel = holdModel
        provider.register(configuration, as: name)
    }

    func set(_ conduct: TestProvider.Conduct) { self.conduct = conduct }

    func report(_ report: Report, _ answer: TestRequest) {
        provider?.report(report) { outcome in
            switch outcome {
            case .done, .call, .performed: answer.settle(.performed)
            case .failed(let error): answer.settle(.failed(.init(.unknown, message: "\(error)")))
            case .unexpected(let text): answer.settle(.failed(.init(.unknown, message: text)))
            }
        }
    }

    func crash() { link.close() }

    private func receive(_ event: ProviderEvent) {
        heard.append(event)
        switch event {
        case .audioDeactivated: provider?.releaseAudio()
        case .perform: perform()
        case .timedOut, .transactionEnded, .reset, .audioActivated, .unexpected: break
        }
    }

    private func perform() {
        defer { performs += 1 }
        switch conduct {
        case .fulfills: provider?.answer(perform: performs, .fulfilled(date: 0))
        case .refuses: provider?.answer(perform: performs, .refused(reason: ""))
        case .ignores: break
        }
    }
}
