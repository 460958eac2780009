// Actions on their way to providers, and their answers.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

extension CallSystemHost {
    /// A provider that has not released the audio by then is not waited for; the core gave up long before.
    private static let releaseTimeout = 60_000

    /// Sends a provider a message that needs no answer.
    func tell<each Argument: DBusType>(
        _ provider: ProviderID, _ member: String, _ arguments: repeat each Argument
    ) {
        do throws(DBusError) {
            try providers[provider]?.peer.notify(member, repeat each arguments)
        } catch {
            log.error("\(member) was not sent to provider \(provider): \(error)")
        }
    }

    func perform(_ action: PerformedAction) {
        guard let peer = providers[action.provider]?.peer else { return lost(action.provider) }
        arm(.action(action.id), at: action.deadline)
        let wire = PerformWire(
            id: identifiers.text(of: action.id), action: action.action,
            transaction: identifiers.text(of: action.transaction), deadline: action.deadline.date, part: action.part)
        do throws(DBusError) {
            guard let key = try peer.send(wire) else { return lost(action.provider) }
            actions.add(ActionBook.Entry(action: action.id, provider: action.provider, peer: peer), key)
        } catch {
            submit(.actionFailed(action.id, reason: error.message))
        }
    }

    /// Takes a reply that no call waits for: the answer to an action, be it the first or one too many.
    func takeReply(_ message: Message, on channel: any MessageChannel) {
        guard let entry = actions[ActionBook.Key(channel, message.replySerial)] else { return }
        guard entry.peer.isAnswer(message) else { return noteForgery(message) }
        entry.peer.verify(message.error.map { .failure($0) } ?? .success(message)) { [weak self] result in
            self?.complete(entry.action, of: entry.provider, result)
        }
    }

    /// Takes a reply as fulfilment and an error as failure; a provider that is gone is lost.
    private func complete(_ action: ActionID, of provider: ProviderID, _ result: Result<Message, DBusError>) {
        disarm(.action(action))
        switch result {
        case .success(let message):
            // A reply with other arguments, or with none, fulfils the action all the same.
            let wire = (try? message.read(VariantDictionary.self)) ?? [:]
            (tree.object(at: .provider(provider)) as? ProviderObject)?
                .noteUnknownKeys(in: wire, besides: PerformResult.keys)
            do throws(CallError) {
                let result = try PerformResult(wire: wire)
                submit(.actionFulfilled(action, date: result.date ?? 0, engine: result.engine))
            } catch {
                submit(.actionFailed(action, reason: error.message))
            }
        case .failure(let error) where ProviderPeer.meansGone(error): lost(provider)
        case .failure(let error): submit(.actionFailed(action, RefusalWord(busName: error.name), reason: error.words))
        }
    }

    func deactivateAudio(_ id: ProviderID) {
        guard let peer = providers[id]?.peer else { return submit(.audioReleased(id)) }
        peer.call(
            ProviderMember.Delegate.audioSessionDeactivated, timeoutMilliseconds: Self.releaseTimeout
        ) { [weak self] result in
            switch result {
            case .failure(let error) where ProviderPeer.meansGone(error): self?.lost(id)
            case .failure(let error) where error.name == DBusError.Name.timeout: break
            case .success, .failure: self?.submit(.audioReleased(id))
            }
        }
    }
}
