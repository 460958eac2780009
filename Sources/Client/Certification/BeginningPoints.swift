// BeginningPoints: the points about the file, Hello, the provider's configuration, and what a plugin may use.

import CallModel
import EventLoop
import Files
import WorkerLaunch

@LoopActor
struct BeginningPoints: PointGroup {
    let examination: Examination

    func examineFile() throws(Unmet) -> String {
        guard let error = examination.fileError, !error.isOfTheNote, !error.isOfTheManifest else {
            return (try? examination.file().libraryPath) ?? examination.path
        }
        throw .failed("the file \(error)")
    }

    func examineNote() throws(Unmet) -> String {
        if let error = examination.fileError {
            if error.isOfTheManifest { return "the host speaks its protocol" }
            throw error.isOfTheNote ? .failed("the file \(error)") : .notTried("needs file")
        }
        let note = try examination.file().note
        return "protocol \(note.protocolVersion), SDK \(note.sdkVersion)"
    }

    func examineHello() async throws(Unmet) -> String {
        let file = try examination.file()
        let host = try await examination.begin()
        let start = MonotonicTime.now
        let greeted = await host.wait(examination.options.helloTimeout) { [weak host] in
            host?.greeting != nil || host?.isUp != true
        }
        guard greeted, let greeting = host.greeting else {
            throw .failed(await examination.fate(of: host, "no Hello within \(examination.options.helloTimeout.text)"))
        }
        let elapsed = MonotonicTime.now.duration(since: start)
        guard greeting.version == file.note.protocolVersion else {
            throw .failed("says protocol \(greeting.version), its note \(file.note.protocolVersion)")
        }
        guard greeting.sdkVersion == file.note.sdkVersionText else {
            throw .failed("says SDK \(greeting.sdkVersion), its note \(file.note.sdkVersionText)")
        }
        return "Hello after \(elapsed.text)"
    }

    func examineRegistration() async throws(Unmet) -> String {
        if examination.program == nil { try await examination.require(.hello) }
        let host = try await examination.greeted()
        // A provider may be registered as late as its account is connected.
        let limit =
            examination.options.answerTimeout
            + (examination.account == nil ? .zero : examination.options.accountTimeout)
        _ = await host.wait(examination.options.helloTimeout + limit) { [weak host] in
            host?.provider != nil || host?.refusedRegistration != nil || host?.isUp != true
        }
        guard let provider = host.provider else {
            if let refusal = host.refusedRegistration { throw .failed("RegisterProvider was refused: \(refusal)") }
            let hint =
                examination.schema != nil && examination.account == nil ? "; does it need an account, --settings?" : ""
            let beginning = examination.program == nil ? "Hello" : "its start"
            let silence = "no RegisterProvider within \(limit.text) after \(beginning)\(hint)"
            throw .failed(
                await examination.fate(of: host, examination.account == nil ? silence : "\(silence) for the account"))
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
        let folder = try examination.program == nil ? examination.file().resourceDirectory : ""
        guard name.hasPrefix("/") || !folder.isEmpty else {
            throw .failed("\(name) is looked for in a bundle, and there is none")
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

    // MARK: what it asks for, and how it lives with what is denied

    func examinePermissions() throws(Unmet) -> String {
        if case .manifest(let reason) = examination.fileError { throw .failed(reason) }
        let manifest = try examination.file().manifest
        guard manifest.unknown.isEmpty else {
            let lines = manifest.unknown.joined(separator: "; ")
            throw .failed("\(PluginManifest.fileName) has unknown entries: \(lines)")
        }
        guard !manifest.asked.isEmpty else { throw .notApplicable("it asks for nothing") }
        return [("needs", manifest.needs), ("may use", manifest.mayUse)].compactMap { word, list in
            list.isEmpty ? nil : "\(word) \(list.map(text(of:)).joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    /// The permission with what the user is told of it.
    private func text(of permission: Permission) -> String {
        let isExplained = (try? examination.file().manifest.reasons[permission]) != nil
        return isExplained ? permission.text : "\(permission.text) (without a reason)"
    }

    func examineSandbox() async throws(Unmet) -> String {
        guard examination.options.isSandboxed else { throw .notApplicable("it is examined outside the sandbox") }
        try await examination.require(.hello)
        let host = try await examination.greeted()
        // A worker has told how it is confined before it says Hello.
        _ = await host.wait(examination.options.helloTimeout) { [weak host] in
            host?.greeting != nil || host?.isUp != true
        }
        guard let report = host.report, report.level > .none else { throw .failed("the worker is not confined") }
        var seen = ["level \(report.level.rawValue)"]
        if !report.gaps.isEmpty { seen.append("not enforced here: \(report.gaps.joined(separator: ", "))") }
        let names = examination.granted.sorted().map(\.text).joined(separator: ", ")
        seen.append(examination.granted.isEmpty ? "nothing granted" : "granted: \(names)")
        let denied = Denials(examination.deniedAnywhere, home: examination.options.environment["HOME"] ?? "").text
        if !denied.isEmpty { seen.append("denied: \(denied)") }
        return seen.joined(separator: "; ")
    }
}
