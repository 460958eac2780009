// FileSetting: a setting that a desktop keeps in a file.

import DBus
import EventLoop
import Files

/// Follows one key in one section of a file, such as KDE and LXQt have. Where the user's file does not have it, that of the
/// system counts.
@LoopActor
final class FileSetting: DesktopSetting {
    var onChange: (@LoopActor (String?) -> Void)?

    private let paths: [String]
    private let place: (section: String, key: String)?
    private var follower: FileFollower?

    /// - Parameters:
    ///   - file: its name in the folders of configurations.
    ///   - place: such as `("[General]", "doNotDisturb")`; nil for a file that has nothing but the value.
    init(_ file: String, _ place: (section: String, key: String)?, environment: [String: String]) {
        paths = ConfigurationText.paths(of: file, in: environment)
        self.place = place
    }

    func connected(to bus: Bus) {
        follower = paths.first.map { FileFollower($0) { [weak self] in self?.read() } }
        read()
    }

    func disconnected() { follower = nil }

    func settle() {}

    private func read() {
        onChange?(paths.lazy.compactMap(value).first)
    }

    private func value(in path: String) -> String? {
        guard let text = try? ConfigurationText.read(path) else { return nil }
        guard let place else { return text.entries.first?.key }
        return text.value(of: place.key, in: place.section)
    }
}
