// What each point expects, and why. docs/certify.md has the same text; a test compares them.

extension Point {
    /// The expected behavior, as a sentence without a full stop.
    public var expectation: String {
        switch self {
        case .file: "the daemon would load the file: a library or bundle that no other user can change"
        case .note: "the ELF note names a protocol version that the host speaks"
        case .permissions: "the permissions that Plugin.ini asks for exist, and nothing in it is unknown"
        case .hello: "the plugin loads and sends Hello in time, once, with the versions that its note names"
        case .registration: "a provider registers with a configuration that the host accepts, and answers Begin"
        case .account:
            "an account that SetAccounts hands over is reported ready before its deadline, by ReportAccount"
        case .configuration: "the configuration has a name, a handle type, room for a call, and labels for the buttons"
        case .ringtone: "the ringtone's file exists and is readable"
        case .icon: "the icon is a complete, square PNG of at most 64 KiB"
        case .start: "start is fulfilled before its deadline, unless the plugin supports no outgoing calls"
        case .connect: "an outgoing call is reported connected, by ReportOutgoingCallConnected"
        case .incoming: "an incoming call is reported with a handle and a UUID of its own"
        case .refusedIncoming: "the plugin drops an incoming call that the host refuses"
        case .answer: "answer is fulfilled before its deadline"
        case .reject: "end with a reason is fulfilled for a ringing call"
        case .mute: "set-muted is fulfilled, on and off"
        case .hold: "set-held is fulfilled for an active call, unless supports-holding is false"
        case .resume: "set-held off is fulfilled for a held call"
        case .dtmf: "play-dtmf is fulfilled for all sixteen tones, unless supports-dtmf is false"
        case .dtmfPauses: "play-dtmf is fulfilled for soft and hard pauses in dialed digits"
        case .translation:
            "set-translating is fulfilled, on, in other languages and off, if supports-audio-translation is true"
        case .secondCall: "a second call is started beside a held one, and the two are swapped"
        case .exchange: "an exchange of two calls is fulfilled and not repeated, if hold-model is swap"
        case .exchangeReports:
            "both halves of an exchange are reported or answered at once, so that never both calls are active"
        case .group: "set-group joins two calls, if maximum-calls-per-call-group allows it"
        case .groupHold: "each member of a group is held and resumed by an action of its own"
        case .ungroup: "set-group without another call takes a call out of its group"
        case .transfer:
            "transfer is answered in time, and a call that is transferred is over, if supports-transfer is true"
        case .attendedTransfer: "transfer-to is answered in time, and if it is fulfilled, both calls are over"
        case .answerTransfer:
            "answer-transfer declines and accepts in time, and the new handle is reported only once it is accepted"
        case .ongoing: "an ongoing call is reported with a handle, and held and taken back when that is asked for"
        case .end: "end is fulfilled before its deadline"
        case .audioDevices:
            "no sound or video device is open, and no sound server reached, before AudioSessionActivated"
        case .audio: "the plugin keeps running and answers while it has the audio"
        case .audioRelease: "AudioSessionDeactivated is answered in time, and the audio can be granted again"
        case .unknownCall: "an action on an unknown call is failed in time"
        case .unknownKind: "an action of an unknown kind is failed in time"
        case .malformedAction: "actions with missing or invalid arguments are failed, and the plugin keeps working"
        case .customActions: "each custom action is answered in time, even without arguments; unknown ones are failed"
        case .timedOut: "the plugin accepts TimedOut for a start, and fulfills the next start"
        case .reset: "after Reset the plugin forgets its calls, reports nothing about them, and fulfills the next start"
        case .restartInCall:
            "after a worker was killed in a call, the next one registers, and has a call only if it reports it"
        case .adopts: "a call that outlived its worker is held, taken back and ended like any other"
        case .accountRefused:
            "an account with a wrong secret is reported failed for bad-credentials, and its provider is not online"
        case .accountRemoved:
            "when SetAccounts takes its account away in a call, the provider is gone within a second"
        case .lostNetwork:
            "while the network is lost the provider is not online, and answers start; afterwards it is online again"
        case .ping: "pings are answered in time, even with actions pending or many pings at once"
        case .memory: "memory does not grow from call to call"
        case .descriptors: "open files do not grow from call to call"
        case .linkClosed: "when the link is closed the worker exits in time and leaves no process behind"
        case .linkAborted: "when the link breaks the worker exits too, with a call, the audio and a pending action"
        case .sandbox: "the plugin runs in the sandbox, with what it asks for and no more"
        case .reports: "reports name existing calls, in the words of the contract"
        case .endedCalls:
            "after a call has ended the plugin reports nothing about it, except a report that crosses the end"
        case .lateAnswers: "no answer comes after its deadline"
        case .doubleAnswers: "no action is answered twice"
        }
    }

    /// Why the behavior is required.
    public var reason: String {
        switch self {
        case .file: "callkitd runs plugins as the user, and skips files that are not safe"
        case .note: "callkitd reads the note before it loads the file; another version is `incompatible`"
        case .permissions: "the user decides by it what the plugin may use; with an invalid one it is `incompatible`"
        case .hello: "a worker that sends no Hello is ended, and after three times its plugin is quarantined"
        case .registration: "without a provider the plugin can have no calls, and its buttons are not shown"
        case .account: "an account that is not reported stays `connecting`, and its user does not learn why"
        case .configuration:
            "CXProviderConfiguration decides which handles the provider gets; with 0 groups every call is refused"
        case .ringtone: "without its ringtone a call rings unheard"
        case .icon: "the icon is shown as a template beside every call of the provider"
        case .start: "an action that is not answered fails at its deadline, and the call with it"
        case .connect: "a call that is never reported connected ends `unanswered` and has no duration"
        case .incoming: "a call without a handle cannot be shown, and a UUID is never used twice"
        case .refusedIncoming: "an error from ReportNewIncomingCall means that the call must not ring"
        case .answer: "the caller hears nothing until then; after the deadline the call ends"
        case .reject: "end is the only action that declines a call"
        case .mute: "users rely on the muted sign, so it must be true"
        case .hold: "other providers' calls wait for it; a provider that does not answer loses its call"
        case .resume: "a held call that cannot be resumed is lost"
        case .dtmf: "menus and door openers need them, A to D included"
        case .dtmfPauses: "CXPlayDTMFCallAction has three types; numbers with extensions bring pauses"
        case .translation: "users who rely on a translation must know whether it is on"
        case .secondCall: "maximum-call-groups above 1 (default 2) declares support for it"
        case .exchange: "reports of such a network are facts, and one that exchanges again and again is ignored"
        case .exchangeReports: "until both are known, it is uncertain which of the calls is heard"
        case .group: "CXSetGroupCallAction is a conference; a provider that declares room for one is asked"
        case .groupHold: "the whole group is held before another provider's call becomes active"
        case .ungroup: "unless supports-ungrouping is false, a user may talk to one member alone"
        case .transfer: "the host ends a call when its transfer is fulfilled, and only then"
        case .attendedTransfer: "the far sides talk with each other from then on, and nobody is left here"
        case .answerTransfer: "the user decides with whom the call goes on, and sees by the handle who it is"
        case .ongoing: "while another call is active the hold comes before the answer to the report"
        case .end: "the call ends whatever the answer, but until then the far side may still hear"
        case .audioDevices: "until then another provider may have the audio, or players may still be heard"
        case .audio: "AudioSessionActivated is where a provider begins to play and to record"
        case .audioRelease: "the next provider has no audio until the release"
        case .unknownCall: "host and plugin can disagree for a moment, and the host believes a fulfillment"
        case .unknownKind: "later versions add kinds, and today's plugins must fail them"
        case .malformedAction: "input from a link is checked before it is used"
        case .customActions: "any client can call them, and the host does not check their arguments"
        case .timedOut: "the action has failed and its call has ended; the plugin must undo what it began"
        case .reset: "providerDidReset means: end all calls; actions need no answer"
        case .restartInCall:
            "callkitd starts another worker, and believes what that one fulfills"
        case .adopts: "a call that goes on is heard, and must have an end"
        case .accountRefused: "the user learns that the secret is wrong, and other providers are chosen for calls"
        case .accountRemoved: "callkitd removes accounts this way, and hands changed ones over again"
        case .lostNetwork: "only providers that are online are chosen for a call"
        case .ping: "a worker that does not answer a ping counts as hung and is killed, with all its calls"
        case .memory: "a worker runs for months"
        case .descriptors: "at the limit a plugin can open neither audio nor network"
        case .linkClosed: "callkitd ends, restarts and removes plugins this way, and then kills the worker"
        case .linkAborted: "a daemon that dies cannot clean up, and an orphan would keep its call open"
        case .sandbox: "callkitd confines it likewise; what is denied fails with an error, and need not be a fault"
        case .reports: "a refused report reaches no client"
        case .endedCalls: "the host has dropped the call; a plugin that has not leaks memory or rings in vain"
        case .lateAnswers: "the action has failed by then, and a late answer is ignored"
        case .doubleAnswers: "CXAction is fulfilled or failed once; a second answer is a defect in the plugin's state"
        }
    }
}
