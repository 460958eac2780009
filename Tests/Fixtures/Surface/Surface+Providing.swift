// The custom actions for the provider itself, its pending actions, and directories.

import OpenCallKit
import Synchronization

/// A second provider of the process, which comes and goes.
private let second = Mutex<(provider: CXProvider, delegate: Surface.Second?)?>(nil)

private let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

extension Surface {
    final class Second: CXProviderDelegate, Sendable {
        private let log: Log

        init(_ log: Log) { self.log = log }

        static func note(_ line: String, in log: Log) {
            let isOnMain = DispatchQueue.getSpecific(key: mainKey) == true
            if isOnMain {
                // Each of these traps if its promise is broken.
                dispatchPrecondition(condition: .onQueue(.main))
                MainActor.assumeIsolated {}
            }
            log.note("second \(line)\(isOnMain ? " on main" : "")")
        }

        func providerDidBegin(_ provider: CXProvider) { Self.note("begin", in: log) }
        func providerDidReset(_ provider: CXProvider) { Self.note("reset", in: log) }

        func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
            Self.note("start", in: log)
            DispatchQueue.main.async { [log] in Self.note("puts", in: log) }
            let update = CXCallUpdate()
            update.remoteHandle = CXHandle(type: .generic, value: "\0")
            provider.reportNewIncomingCall(with: UUID(), update: update) { [log] _ in Self.note("is refused", in: log) }
            DispatchQueue.main.async { [log] in Self.note("puts again", in: log) }
            action.fulfill()
        }
    }

    static let providing: [String: Button] = [
        "pending": { surface, action in
            let transactions = surface.provider.pendingTransactions
            let call = uuid(action) ?? UUID()
            let ends = surface.provider.pendingCallActions(of: CXEndCallAction.self, withCall: call)
            let all = surface.provider.pendingCallActions(of: CXCallAction.self, withCall: call)
            action.fulfill(with: [
                "transactions": .array(transactions.map { .string($0.uuid.uuidString.lowercased()) }),
                "sizes": .array(transactions.map { .integer(Int64($0.actions.count)) }),
                "ends": .integer(Int64(ends.count)), "all": .integer(Int64(all.count)),
                "complete": .bool(all.contains(where: \.isComplete)),
                "timeout": .double(all.first?.timeoutDate.timeIntervalSince1970 ?? 0),
            ])
        },
        "answer-kept": { surface, action in
            let kept = surface.conduct.takeKept()
            let wereComplete = kept.map(\.isComplete)
            let date = action.arguments["at"]?.doubleValue.map(Date.init(timeIntervalSince1970:))
            for action in kept { surface.conduct.fulfill(action, at: date) }
            action.fulfill(with: ["complete": .array(wereComplete.map(CXValue.bool))])
        },
        "execute": { surface, action in
            surface.conduct.execute(action.arguments["executes"]?.boolValue ?? true)
            action.fulfill(with: [:])
        },
        "asked": { surface, action in
            let asked = surface.conduct.asked
            let pending = surface.provider.pendingTransactions
            action.fulfill(with: [
                "kinds": .array(asked.map { .string($0.actions.map { "\(type(of: $0))" }.joined(separator: " ")) }),
                "complete": .array(asked.map { .bool($0.isComplete) }),
                "performed": .array(asked.map { .integer(Int64(surface.conduct.performed(of: $0))) }),
                "pending": .array(asked.map { asked in .bool(pending.contains { $0 === asked }) }),
                "names": .integer(Int64(Set(asked.map(\.uuid)).count)),
            ])
        },
        "configure": { surface, action in
            let configuration = surface.provider.configuration
            configuration.localizedName = action.arguments["name"]?.stringValue.map(withNUL)
            configuration.maximumCallGroups = Int(action.arguments["groups"]?.integerValue ?? 2)
            configuration.maximumCallsPerCallGroup = Int(action.arguments["per-group"]?.integerValue ?? 5)
            configuration.supportsVideo = true
            configuration.supportsAudioTranslation = action.arguments["translation"]?.boolValue ?? true
            configuration.supportsTransfer = action.arguments["transfer"]?.boolValue ?? true
            let model = action.arguments["hold-model"]?.stringValue.flatMap(CXProviderConfiguration.HoldModel.init)
            configuration.holdModel = model ?? .perCall
            configuration.includesCallsInRecents = false
            configuration.supportedHandleTypes = [.generic, .phoneNumber, .emailAddress]
            surface.provider.configuration = configuration
            action.fulfill(with: ["groups": .integer(Int64(surface.provider.configuration.maximumCallGroups))])
        },
        "invalidate": { surface, action in
            action.fulfill(with: ["supported": .bool(CXProvider.isSupported)])
            surface.provider.invalidate()
        },
        "second": { surface, action in
            let how = action.arguments["how"]?.stringValue
            second.withLock { second in
                switch how {
                case "make", "make alone":
                    second = (CXProvider(configuration: CXProviderConfiguration()), nil)
                    if how == "make alone" { break }
                    let delegate = Second(surface.log)
                    second?.delegate = delegate
                    second?.provider.setDelegate(delegate, queue: nil)
                case "forget the delegate": second?.delegate = nil
                case "invalidate": second?.provider.invalidate()
                case "ring":
                    second?.provider.reportNewIncomingCall(with: UUID(), update: CXCallUpdate()) { error in
                        Second.note("rings" + (error.map { " not: \($0)" } ?? ""), in: surface.log)
                    }
                default: second = nil
                }
            }
            action.fulfill(with: [:])
        },
        "directory-async": { surface, action in
            let manager = CXCallDirectoryManager.sharedInstance
            let what = action.arguments["what"]?.stringValue
            let name = action.arguments["extension"]?.stringValue ?? "Surface"
            attempt(action) {
                switch what {
                case "reload": try await manager.reloadExtension(withIdentifier: name)
                case "status": _ = try await manager.enabledStatusForExtension(withIdentifier: name)
                default: try await manager.openSettings()
                }
            }
        },
        "directory": { surface, action in
            let manager = CXCallDirectoryManager.sharedInstance
            let name = withNUL(action.arguments["extension"]?.stringValue ?? "Surface")
            manager.reloadExtension(withIdentifier: name) { reload in
                manager.getEnabledStatusForExtension(withIdentifier: name) { status, unknown in
                    manager.openSettings { settings in
                        action.fulfill(with: [
                            "reload": .dictionary(reload.map(values(of:)) ?? [:]),
                            "status": .integer(Int64(status.rawValue)),
                            "unknown": .dictionary(unknown.map(values(of:)) ?? [:]),
                            "settings": .dictionary(settings.map(values(of:)) ?? [:]),
                        ])
                    }
                }
            }
        },
    ]
}
