// RingtoneChoice: which file rings for a call.

import CallClient
import CallModel
import DBus
import EventLoop
import Logging
import Sound

/// Finds the ringtone of a call and opens it. A file that cannot be played is replaced by the theme's. The log says so once,
/// and so it does of a file with damaged parts.
@LoopActor
final class RingtoneChoice {
    static let event = "phone-incoming-call"

    private let settings: DesktopSettings
    private let environment: [String: String]
    private let theme: SoundThemeChoice
    private let log: Logger
    private var complained: Set<String> = []
    /// More files than anybody has ringtones.
    private static let maximumComplaints = 100

    init(_ context: DesktopContext) {
        settings = context.settings
        environment = context.environment
        theme = SoundThemeChoice(environment: environment)
        log = context.log
    }

    /// The name of the desktop's sound theme.
    var themeName: String { theme.name }

    func connected(to bus: Bus) { theme.connected(to: bus) }

    func disconnected() { theme.disconnected() }

    func settle() async { await theme.settle() }

    /// Returns the ringtone: the user's for the contact, the user's for the provider, the provider's own, or the theme's;
    /// nil if the theme has none.
    func tone(contact: String, provider: PublishedProvider?, providerID: String) -> SoundFile? {
        let chosen = settings.values.ringtones
        let files = [chosen[contact], chosen[providerID]].compactMap { $0 }
        let own = provider?.configuration.ringtoneSound ?? ""
        if let file = files.first(where: { !$0.isEmpty }) {
            if let sound = open(file, "the ringtone \(file) of \(providerID)") { return sound }
        } else if !own.isEmpty, let sound = open(own, "the ringtone of \(providerID)") {
            return sound
        }
        return SoundTheme(name: theme.name, environment: environment).file(of: Self.event)
            .flatMap { open($0, "the ringtone \($0) of the theme") }
    }

    /// - Parameter name: what the log calls it. A provider may name its ringtone as it likes, and is not quoted.
    private func open(_ path: String, _ name: String) -> SoundFile? {
        do throws(SoundFileError) {
            let file = try SoundFile(path)
            file.onDamage = { [weak self] in self?.complain(path, name, "is damaged; the rest of it is played") }
            return file
        } catch {
            complain(path, name, "\(error)")
            return nil
        }
    }

    private func complain(_ path: String, _ name: String, _ reason: String) {
        guard complained.count < Self.maximumComplaints, complained.insert(path).inserted else { return }
        log.warning("\(name) \(reason)")
    }
}
