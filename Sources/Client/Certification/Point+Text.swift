// What each point expects, and why. docs/certify.md has the same text; a test compares them.

extension Point {
    var text: (expectation: String, reason: String) {
        switch self {
        case .file:
            (
                "the daemon would load the file: a library or bundle that no other user can change",
                "callkitd runs plugins as the user, and skips files that are not safe"
            )
        case .note:
            (
                "the ELF note names a protocol version that the host speaks",
                "callkitd reads the note before it loads the file; another version is `incompatible`"
            )
        case .hello:
            (
                "the plugin loads and sends Hello in time, once, with the versions that its note names",
                "a worker that sends no Hello is ended, and after three times its plugin is quarantined"
            )
        case .registration:
            (
                "a provider registers with a configuration that the host accepts, and answers Begin",
                "without a provider the plugin can have no calls, and its buttons are not shown"
            )
        case .configuration:
            (
                "the configuration has a name, a handle type, room for a call, and labels for the buttons",
                "CXProviderConfiguration decides which handles the provider gets; with 0 groups every call is refused"
            )
        case .ringtone:
            (
                "the ringtone's file exists and is readable",
                "without its ringtone a call rings unheard"
            )
        case .icon:
            (
                "the icon is a complete, square PNG of at most 64 KiB",
                "the icon is shown as a template beside every call of the provider"
            )
        case .start:
            (
                "start is fulfilled before its deadline, unless the plugin supports no outgoing calls",
                "an action that is not answered fails at its deadline, and the call with it"
            )
        case .connect:
            (
                "an outgoing call is reported connected, by ReportOutgoingCallConnected",
                "a call that is never reported connected ends `unanswered` and has no duration"
            )
        case .incoming:
            (
                "an incoming call is reported with a handle and a UUID of its own",
                "a call without a handle cannot be shown, and a UUID is never used twice"
            )
        case .refusedIncoming:
            (
                "the plugin drops an incoming call that the host refuses",
                "an error from ReportNewIncomingCall means that the call must not ring"
            )
        case .answer:
            (
                "answer is fulfilled before its deadline",
                "the caller hears nothing until then; after the deadline the call ends"
            )
        case .reject:
            (
                "end with a reason is fulfilled for a ringing call",
                "end is the only action that declines a call"
            )
        case .mute:
            (
                "set-muted is fulfilled, on and off",
                "users rely on the muted sign, so it must be true"
            )
        case .hold:
            (
                "set-held is fulfilled for an active call, unless supports-holding is false",
                "other providers' calls wait for it; a provider that does not answer loses its call"
            )
        case .resume:
            (
                "set-held off is fulfilled for a held call",
                "a held call that cannot be resumed is lost"
            )
        case .dtmf:
            (
                "play-dtmf is fulfilled for all sixteen tones, unless supports-dtmf is false",
                "menus and door openers need them, A to D included"
            )
        case .dtmfPauses:
            (
                "play-dtmf is fulfilled for soft and hard pauses in dialed digits",
                "CXPlayDTMFCallAction has three types; numbers with extensions bring pauses"
            )
        case .translation:
            (
                "set-translating is fulfilled, on, in other languages and off, if supports-audio-translation is true",
                "users who rely on a translation must know whether it is on"
            )
        case .secondCall:
            (
                "a second call is started beside a held one, and the two are swapped",
                "maximum-call-groups above 1 (default 2) declares support for it"
            )
        case .group:
            (
                "set-group joins two calls, if maximum-calls-per-call-group allows it",
                "CXSetGroupCallAction is a conference; a provider that declares room for one is asked"
            )
        case .groupHold:
            (
                "each member of a group is held and resumed by an action of its own",
                "the whole group is held before another provider's call becomes active"
            )
        case .ungroup:
            (
                "set-group without another call takes a call out of its group",
                "unless supports-ungrouping is false, a user may talk to one member alone"
            )
        case .end:
            (
                "end is fulfilled before its deadline",
                "the call ends whatever the answer, but until then the far side may still hear"
            )
        case .audio:
            (
                "the plugin keeps running and answers while it has the audio",
                "AudioSessionActivated is where a provider begins to play and to record"
            )
        case .audioRelease:
            (
                "AudioSessionDeactivated is answered in time, and the audio can be granted again",
                "the next provider has no audio until the release"
            )
        case .unknownCall:
            (
                "an action on an unknown call is failed in time",
                "host and plugin can disagree for a moment, and the host believes a fulfillment"
            )
        case .unknownKind:
            (
                "an action of an unknown kind is failed in time",
                "later versions add kinds, and today's plugins must fail them"
            )
        case .malformedAction:
            (
                "actions with missing or invalid arguments are failed, and the plugin keeps working",
                "input from a link is checked before it is used"
            )
        case .customActions:
            (
                "each custom action is answered in time, even without arguments; unknown ones are failed",
                "any client can call them, and the host does not check their arguments"
            )
        case .timedOut:
            (
                "the plugin accepts TimedOut for a start, and fulfills the next start",
                "the action has failed and its call has ended; the plugin must undo what it began"
            )
        case .reset:
            (
                "after Reset the plugin forgets its calls, reports nothing about them, and fulfills the next start",
                "providerDidReset means: end all calls; actions need no answer"
            )
        case .ping:
            (
                "pings are answered in time, even with actions pending or many pings at once",
                "a worker that does not answer a ping counts as hung and is killed, with all its calls"
            )
        case .memory:
            (
                "memory does not grow from call to call",
                "a worker runs for months"
            )
        case .descriptors:
            (
                "open files do not grow from call to call",
                "at the limit a plugin can open neither audio nor network"
            )
        case .linkClosed:
            (
                "when the link is closed the worker exits in time and leaves no process behind",
                "callkitd ends, restarts and removes plugins this way, and then kills the worker"
            )
        case .linkAborted:
            (
                "when the link breaks the worker exits too, with a call, the audio and a pending action",
                "a daemon that dies cannot clean up, and an orphan would keep its call open"
            )
        case .reports:
            (
                "reports name existing calls, in the words of the contract",
                "a refused report reaches no client"
            )
        case .endedCalls:
            (
                "after a call has ended the plugin reports nothing about it, except a report that crosses the end",
                "the host has dropped the call; a plugin that has not leaks memory or rings in vain"
            )
        case .lateAnswers:
            (
                "no answer comes after its deadline",
                "the action has failed by then, and a late answer is ignored"
            )
        case .doubleAnswers:
            (
                "no action is answered twice",
                "CXAction is fulfilled or failed once; a second answer is a defect in the plugin's state"
            )
        }
    }
}
