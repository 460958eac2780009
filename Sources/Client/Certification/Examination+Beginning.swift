// The points about the file, Hello, and the provider's configuration.

import CallModel
import EventLoop
import Files
import WorkerLaunch

extension Examination {
    func examineFile() throws(Unmet) -> String {
        guard let error = fileError, !error.isOfTheNote, !error.isOfTheManifest else {
            return (try? file().libraryPath) ?? path
        }
        throw .failed("the file \(error)")
    }

    func examineNote() throws(Unmet) -> String {
        if let error = fileError {
            if error.isOfTheManifest { return "the host speaks its protocol" }
            throw error.isOfTheNote ? .failed("the file \(error)") : .notTried("needs file")
        }
        let note = try file().note
        return "protocol \(note.protocolVersion), SDK \(note.sdkVersion)"
    }

    func examineHello() async throws(Unmet) -> String {
        let file = try file()
        let host = try await begin()
        let start = MonotonicTime.now
        let greeted = await host.wait(options.helloPatience) { [weak host] in
            host?.greeting != nil || host?.isUp != true
        }
        guard greeted, let greeting = host.greeting else {
            throw .failed(await fate(of: host, "no Hello within \(options.helloPatience) ms"))
        }
        let elapsed = MonotonicTime.now.milliseconds(since: start)
        guard greeting.version == file.note.protocolVersion else {
            throw .failed("says protocol \(greeting.version), its note \(file.note.protocolVersion)")
        }
        guard greeting.sdkVersion == file.note.sdkVersionText else {
            throw .failed("says SDK \(greeting.sdkVersion), its note \(file.note.sdkVersionText)")
        }
        return "Hello after \(elapsed) ms"
    }

    func examineRegistration() async throws(Unmet) -> String {
        try await require(.hello)
        let host = try await greeted()
        // A provider may be registered as late as its account is connected.
        let patience = options.patience + (account == nil ? 0 : options.accountPatience)
        _ = await host.wait(options.helloPatience + patience) { [weak host] in
            host?.provider != nil || host?.refusedRegistration != nil || host?.isUp != true
        }
        guard let provider = host.provider else {
            if let refusal = host.refusedRegistration { throw .failed("RegisterProvider was refused: \(refusal)") }
            let hint = schema != nil && account == nil ? "; does it need an account, --settings?" : ""
            let silence = "no RegisterProvider within \(patience) ms after Hello\(hint)"
            throw .failed(await fate(of: host, account == nil ? silence : "\(silence) for the account"))
        }
        let ping = await host.putPing().answer()
        guard ping.isGiven else { throw .failed(await describe(ping, "a ping after Begin", host)) }
        return "registered as \"\(provider.configuration.localizedName)\""
    }

    func examineConfiguration() async throws(Unmet) -> String {
        let configuration = try await configuration()
        var faults: [String] = []
        if configuration.localizedName.isEmpty { faults.append("the name is empty") }
        if configuration.supportedHandleTypes.isEmpty { faults.append("no handle type is declared") }
        if configuration.maximumCallGroups == 0 { faults.append("maximum-call-groups is 0") }
        if configuration.maximumCallsPerCallGroup == 0 { faults.append("maximum-calls-per-call-group is 0") }
        for action in configuration.customActions where action.label.isEmpty {
            faults.append("custom action \(action.id) has no label")
        }
        guard faults.isEmpty else { throw .failed(faults.joined(separator: "; ")) }
        let types = configuration.supportedHandleTypes.map(\.rawValue).sorted().joined(separator: ", ")
        return "\(types); \(configuration.maximumCallGroups) groups of \(configuration.maximumCallsPerCallGroup)"
    }

    func examineRingtone() async throws(Unmet) -> String {
        let name = try await configuration().ringtoneSound
        guard !name.isEmpty else { throw .notApplicable("no ringtone is declared: the system's is used") }
        let folder = try file().resourceDirectory
        guard name.hasPrefix("/") || !folder.isEmpty else {
            throw .failed("\(name) is looked for in a bundle, and this is a library alone")
        }
        do {
            let reader = try FileReader(name.hasPrefix("/") ? name : "\(folder)/\(name)")
            guard try !reader.bytes(at: 0, count: 1).isEmpty else { throw Unmet.failed("\(name) is empty") }
            return "\(name), \(reader.status.size) bytes"
        } catch {
            throw error as? Unmet ?? .failed("\(name) cannot be read: \(error)")
        }
    }

    func examineIcon() async throws(Unmet) -> String {
        let icon = try await configuration().iconTemplateImage
        guard !icon.isEmpty else { throw .notApplicable("no icon is declared") }
        guard let size = PNGOutline(icon) else { throw .failed("the icon's \(icon.count) bytes are not a whole PNG") }
        guard size.width == size.height else {
            throw .failed("the icon has \(size.width) by \(size.height) pixels, expected a square")
        }
        return "\(size.width) by \(size.height) pixels"
    }

    /// Returns the provider's present configuration.
    func configuration() async throws(Unmet) -> ProviderConfiguration {
        let host = try await stage()
        return host.provider?.configuration ?? ProviderConfiguration()
    }
}

/// The size of a PNG image.
struct PNGOutline {
    let width, height: Int

    /// Returns nil unless the bytes begin with a PNG's header and end with its last chunk.
    init?(_ bytes: [UInt8]) {
        guard let header = PictureHeader(bytes), header.format == .png, bytes.count >= 45,
            bytes.suffix(8).prefix(4).elementsEqual("IEND".utf8)
        else { return nil }
        (width, height) = (header.width, header.height)
    }
}
