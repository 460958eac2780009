// Describes a caller, for people.

internal import CallModel
internal import DBus

extension StoreServer {
    /// - Parameter text: a handle as people write it, or `withheld`.
    /// - Returns: the reply of Identify.
    func describe(_ text: String) throws(CallError) -> VariantDictionary {
        let caller = try directories.caller(in: text)
        try directories.requireRules()
        let facts = lookUp(caller)
        var known = facts.wire
        known["normalized"] = .string(facts.normalized)
        known["allowed"] = .bool(facts.isAllowed)
        known["blocked"] = .bool(!facts.isAllowed && facts.blockedBy != nil)
        let rules = directories.rules(about: facts.normalized)
        if facts.isAllowed { known.set("allowed-by", rules.allowing) }
        if facts.blockedBy == Directories.user { known.set("blocked-rule", rules.blocking) }
        if caller != nil, let (label, source) = try directories.label(of: text) {
            known.set("label", label)
            known.set("label-source", source)
        }
        return known
    }
}
