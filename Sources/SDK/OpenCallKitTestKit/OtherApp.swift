// OtherApp: the far end of a provider that is not under test.

internal import CallCore
internal import CallModel
internal import CallStage
internal import DBus
internal import EventLoop
internal import OpenCallKit

/// Plays a scripted provider by one rule.
@LoopActor
final class OtherApp {
    private let link: MemoryLink
    private var provider: ScriptedProvider?
    private var conduct = TestProvider.Conduct.fulfills
    private var performs = 0
    private(set) var heard: [String] = []

    init(_ link: MemoryLink, name: String) {
        self.link = link
        let provider = ScriptedProvider(on: link, host: nil) { [weak self] in self?.take($0) }
        self.provider = provider
        var configuration = ProviderConfiguration()
        configuration.supportedHandleTypes = HandleType.allCases
        configuration.supportsVideo = true
        provider.register(configuration, as: name)
    }

    func set(_ conduct: TestProvider.Conduct) { self.conduct = conduct }

    func report(_ report: Report, _ answer: TestRequest) {
        provider?.report(report) { text in
            answer.settle(text.hasPrefix("error ") ? .failed(.init(.unknown, message: text)) : .performed)
        }
    }

    func crash() { link.close() }

    private func take(_ line: String) {
        heard.append(line)
        if line == "deactivate-audio" { provider?.releaseAudio() }
        guard line.hasPrefix("perform ") else { return }
        performs += 1
        switch conduct {
        case .fulfills: provider?.answer(perform: performs - 1, .fulfilled(date: 0))
        case .refuses: provider?.answer(perform: performs - 1, .refused(reason: ""))
        case .ignores: break
        }
    }
}
