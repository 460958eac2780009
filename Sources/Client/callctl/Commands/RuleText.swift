// The rules of docs/arbitration.md in a few words.

enum RuleText {
    /// Returns what a rule says; nil for one that is not known here, and for none.
    static func text(of rule: UInt32) -> String? {
        switch rule {
        case 1: "a call that is started holds the one that talks"
        case 2: "a call that is started may end the one that talks, if it was asked to"
        case 6: "a call that is answered holds the one that talks"
        case 7: "a call that is answered may end the one that talks, if it was asked to"
        case 8: "a third call holds the one that talks, and the others stay held"
        case 10: "the call that was held last comes back when you end the other one"
        case 12: "a call that is resumed changes places with the one that talks"
        case 13: "networks may hold and resume their calls by themselves"
        case 14: "calls that are grouped talk together, and all others are held"
        case 15: "a group is held and resumed as a whole"
        case 16: "what was held for a call that came to nothing comes back"
        case 17: "a provider that does not answer in time is not waited for"
        case 18: "the calls of a provider end with it"
        case 19: "an emergency call goes before all others"
        case 24: "a call that is connected when it is reported waits while another one talks"
        default: nil
        }
    }
}
