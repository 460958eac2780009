// What each point expects, and why. docs/certify.md has the same words; a test compares.

extension Point {
    var text: (expectation: String, reason: String) {
        switch self {
        case .file:
            (
                "the daemon would load the file: a library or bundle that nobody else can change",
                "callkitd starts in the user's name what lies there, and skips what is not safe"
            )
        case .note:
            (
                "the ELF note names a protocol version that the host speaks",
                "callkitd reads it before it loads anything; another version is `incompatible`"
            )
        case .hello:
            (
                "the plugin loads and says Hello in time, once, with the versions that its note names",
                "a worker that does not introduce itself is ended, and its plugin quarantined after three times"
            )
        case .registration:
            (
                "a provider is registered with a configuration that the host accepts, and takes Begin",
                "without one nobody can call, and no button of the plugin is shown"
            )
        case .configuration:
            (
                "there are a name, a handle type, room for a call and labels for the buttons",
                "CXProviderConfiguration decides which handles come here; with 0 groups every call is refused"
            )
        case .ringtone:
            (
                "the ringtone's file is there and can be read",
                "a ringtone that is missing is a call that nobody hears"
            )
        case .icon:
            (
                "the icon is a whole, square PNG of 64 KiB at most",
                "it is shown as a template beside every call of the provider"
            )
        case .start:
            (
                "start is fulfilled before its deadline, unless outgoing calls are not supported at all",
                "an action that is not answered fails at its deadline, and the call with it"
            )
        case .connect:
            (
                "an outgoing call is reported connected, by ReportOutgoingCallConnected",
                "a call that is never reported connected ends `unanswered`; its time does not count"
            )
        case .incoming:
            (
                "an incoming call is reported with a handle and a UUID of its own",
                "a call without a handle cannot be shown, and a UUID is never used twice"
            )
        case .refusedIncoming:
            (
                "an incoming call that the host refuses does not go on",
                "the error of ReportNewIncomingCall says that the user does not want this call"
            )
        case .answer:
            (
                "answer is fulfilled before its deadline",
                "the caller hears nobody until it is; after the deadline the call is over"
            )
        case .reject:
            (
                "end with a reason is fulfilled for a call that still rings",
                "this is how a call is declined; there is no other action for it"
            )
        case .mute:
            (
                "set-muted is fulfilled, on and off",
                "people trust the muted sign: it must not be shown and not be true"
            )
        case .hold:
            (
                "set-held is fulfilled for an active call, unless supports-holding is false",
                "every other provider's call waits for it: who does not answer loses the call"
            )
        case .resume:
            (
                "set-held off is fulfilled for a held call",
                "a call that cannot be taken back is lost as well"
            )
        case .dtmf:
            (
                "play-dtmf is fulfilled for all sixteen tones, unless supports-dtmf is false",
                "menus and door openers need them; A to D are tones as well"
            )
        case .dtmfPauses:
            (
                "play-dtmf is fulfilled for soft and hard pauses in dialled digits",
                "CXPlayDTMFCallAction has three types; numbers with extensions bring pauses"
            )
        case .translation:
            (
                "set-translating is fulfilled, on, in other languages and off, if supports-audio-translation is true",
                "who relies on a translation must know whether there is one"
            )
        case .secondCall:
            (
                "a second call is started beside a held one, and the two are swapped",
                "maximum-call-groups above 1 (default 2) says that this can be done"
            )
        case .group:
            (
                "set-group joins two calls, if maximum-calls-per-call-group allows it",
                "CXSetGroupCallAction is a conference; a provider that declares room for one is asked"
            )
        case .groupHold:
            (
                "each member of a group is held and taken back by an action of its own",
                "a group is held whole before another provider's call becomes active"
            )
        case .ungroup:
            (
                "set-group without another call takes a call out of its group",
                "unless supports-ungrouping is false, people can talk to one of them alone"
            )
        case .end:
            (
                "end is fulfilled before its deadline",
                "the call is over whatever the answer is, but until it comes the far side may still hear"
            )
        case .audio:
            (
                "the plugin stays up and answers while it has the audio",
                "AudioSessionActivated is where every provider begins to play and to record"
            )
        case .audioRelease:
            (
                "AudioSessionDeactivated is answered in time, and the audio can be given again",
                "the next provider waits in silence for the release"
            )
        case .unknownCall:
            (
                "an action on a call that the plugin does not have is failed, in time",
                "host and plugin can disagree for a moment; a fulfilment would be believed"
            )
        case .unknownKind:
            (
                "an action of a kind that the plugin does not know is failed, in time",
                "later versions add kinds; a plugin of today must say no to them"
            )
        case .malformedAction:
            (
                "actions with missing or wrong arguments are failed, and nothing breaks",
                "what comes over a link is checked before it is believed"
            )
        case .customActions:
            (
                "each custom action is answered in time, without arguments too; others are failed",
                "their arguments come from any client, unchecked"
            )
        case .timedOut:
            (
                "the plugin takes TimedOut for a start, and the next start is fulfilled",
                "the action has failed already and its call is over; what was half done is undone"
            )
        case .reset:
            (
                "after Reset the calls are forgotten, nothing is reported of them, and the next start is fulfilled",
                "providerDidReset means: end everything, without the need to respond to any actions"
            )
        case .ping:
            (
                "pings are answered in time while actions are open and while many come at once",
                "a worker that does not answer a ping is taken for hung and killed, with all its calls"
            )
        case .memory:
            (
                "memory does not grow from call to call",
                "workers run for months"
            )
        case .descriptors:
            (
                "open files do not grow from call to call",
                "at the limit a plugin can open neither sound nor network"
            )
        case .linkClosed:
            (
                "the worker exits by itself, in time and leaving nobody behind, when the link is closed",
                "this is how callkitd ends, restarts and removes plugins; afterwards it kills"
            )
        case .linkAborted:
            (
                "the worker exits by itself just so while it has a call, the audio and an open action",
                "a daemon that dies leaves no time to tidy up; an orphan would go on speaking"
            )
        case .reports:
            (
                "reports name calls that are there, in the words of the contract",
                "a report that is refused is news that nobody gets"
            )
        case .endedCalls:
            (
                "a call that the plugin has ended is not reported on any more, but for a report that crosses its end",
                "the host has done with the call; a plugin that has not will run out of memory, or ring for nobody"
            )
        case .lateAnswers:
            (
                "no answer comes after its deadline",
                "the action has failed by then: what the plugin says it did, nobody takes note of"
            )
        case .doubleAnswers:
            (
                "no action is answered twice",
                "CXAction is fulfilled or failed once; a second answer is a mistake in the plugin's states"
            )
        }
    }
}
