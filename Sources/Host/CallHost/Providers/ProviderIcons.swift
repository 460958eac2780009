// ProviderIcons: the icons of providers as files that others can read.

import CallModel
import CallWire
import EventLoop
import Files
internal import Glibc
import Logging

@LoopActor
struct ProviderIcons {
    private let configuration: HostConfiguration
    private let log: Logger

    init(_ configuration: HostConfiguration, _ log: Logger) {
        self.configuration = configuration
        self.log = log
    }

    /// - Throws: `InvalidArguments` for an icon that is no PNG.
    static func check(_ declared: ProviderConfiguration) throws(CallError) {
        let icon = declared.iconTemplateImage
        guard icon.isEmpty || PNGOutline(icon) != nil else {
            throw CallError(
                .invalidArguments,
                "icon-template-image has \(icon.count) bytes that are no PNG, expected the contents of a PNG file")
        }
    }

    /// Writes a provider's icon where others can read it; a provider without one has no file.
    func store(_ declared: ProviderConfiguration, of provider: RegisteredProvider) {
        guard !declared.iconTemplateImage.isEmpty else {
            provider.icon = ""
            return
        }
        do throws(SystemError) {
            let folder = try iconFolder()
            let path = "\(folder)/\(provider.id).png"
            try FileWriter.replace(path, with: declared.iconTemplateImage)
            provider.icon = path
        } catch {
            log.warning("icon of provider \(provider.id) not stored: \(error)")
            provider.icon = ""
        }
    }

    private func iconFolder() throws(SystemError) -> String {
        guard let folder = configuration.runtimeFolder else { throw SystemError(call: "mkdir", code: ENOENT) }
        try FileWriter.makeFolder(folder)
        // It may have been made by others, for others.
        if configuration.ownRuntimeFolder != nil, chmod(folder, 0o700) != 0 { throw .last("chmod \(folder)") }
        try FileWriter.makeFolder(folder + "/icons")
        return folder + "/icons"
    }

    /// Removes the folder of icons if it is not that of the session, which the session removes.
    func removeOwn(of providers: some Sequence<RegisteredProvider>) {
        guard let folder = configuration.ownRuntimeFolder else { return }
        for provider in providers where !provider.icon.isEmpty { unlink(provider.icon) }
        for path in [folder + "/icons", folder] { rmdir(path) }
    }
}
