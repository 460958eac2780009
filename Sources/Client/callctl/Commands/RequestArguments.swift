// Arguments that requests and plans share.

public import ArgumentParser
public import CallModel
import DBus

extension ConflictPolicy: ExpressibleByArgument {}

extension CallID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

struct ConflictArguments: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "What to do with an active call in the way; default: hold.", valueName: "policy"))
    var conflict: ConflictPolicy?

    var options: VariantDictionary {
        var options: VariantDictionary = [:]
        options.set("conflict", conflict?.rawValue)
        return options
    }
}

struct StartArguments: ParsableArguments, Sendable {
    @Argument(
        help: "A number, an address, a URI such as sip:…, type:value, or the name of a favorite or contact.",
        completion: .favorites)
    var handle: String

    @Option(
        help:
            "The provider to call with; default: that of the favorite, of the last call, your default, or the first one that can.",
        completion: .providers)
    var provider: String?

    @Flag(help: "Make it a video call.")
    var video = false

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Hide your number from the far side, or show it; default: as the network does it.")
    var hideNumber: Bool?

    @Option(help: ArgumentHelp("An address book identifier, passed to the provider.", valueName: "id"))
    var contact: String?

    @Option(help: "The new call's id; default: a random one.")
    var uuid: CallID?

    @OptionGroup var conflict: ConflictArguments

    /// Returns the options that StartCall and a start action share.
    func options(provider: ObjectPath?) -> VariantDictionary {
        var options: VariantDictionary = [:]
        options.set("provider", provider)
        options.set("video", video ? true : nil)
        options.set("contact-identifier", contact)
        options.set("hide-number", hideNumber)
        options.set("uuid", uuid?.description)
        return options
    }
}

struct EndArguments: ParsableArguments, Sendable {
    @Argument(help: "The call; optional if there is only one.", completion: .calls)
    var call: String?

    @Flag(help: "End all calls.")
    var all = false

    func validate() throws {
        guard call == nil || !all else { throw ValidationError("expected either a call or --all") }
    }
}
