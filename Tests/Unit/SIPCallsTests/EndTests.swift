// Why calls end, how accounts fare, and what settings say.

import OpenCallKit
import Testing

@testable import SIPCalls

@Suite struct EndTests {
    private func end(
        outgoing: Bool = true, connected: Bool = false, progressed: Bool = true, _ code: UInt16 = 0,
        _ failure: SIPFailure? = nil, _ reason: String = ""
    ) -> String {
        let standing = SIPEnd.Standing(isOutgoing: outgoing, wasConnected: connected, hasProgressed: progressed)
        let end = SIPEnd(standing, code: code, failure: failure, reason: reason)
        let words = [end.reason.name, end.details.reason?.rawValue ?? "-", end.details.code]
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    @Test func outgoing() {
        #expect(end(486) == "remote-ended busy SIP 486")
        #expect(end(600) == "remote-ended busy SIP 600")
        #expect(end(603) == "remote-ended rejected SIP 603")
        #expect(end(480) == "unanswered - SIP 480")
        #expect(end(487) == "unanswered - SIP 487")
        #expect(end(408) == "unanswered - SIP 408")
        #expect(end(progressed: false, 408) == "failed network SIP 408")
        #expect(end(404) == "failed not-found SIP 404")
        #expect(end(403) == "failed forbidden SIP 403")
        #expect(end(488) == "failed incompatible SIP 488")
        #expect(end(503) == "failed network SIP 503")
        #expect(end(500) == "failed - SIP 500")
        #expect(end(0, .timeout) == "unanswered -")
        #expect(end(progressed: false, 0, .timeout) == "failed network")
        #expect(end(0, .certificate) == "failed certificate")
        #expect(end(0, .incompatible) == "failed incompatible")
    }

    @Test func incoming() {
        #expect(end(outgoing: false) == "unanswered -")
        let elsewhere = "SIP;cause=200;text=\"Call completed elsewhere\""
        #expect(end(outgoing: false, 0, nil, elsewhere) == "answered-elsewhere - SIP 200")
        #expect(end(outgoing: false, 0, nil, "Q.850 ;cause=26") == "answered-elsewhere - Q.850 26")
        #expect(end(outgoing: false, 0, nil, "SIP; cause=603") == "declined-elsewhere - SIP 603")
        #expect(end(outgoing: false, 0, nil, "\"SIP;cause=200\"") == "unanswered -")
        #expect(end(outgoing: false, 0, nil, "SIP;cause=99999999999") == "unanswered -")
        #expect(end(outgoing: false, 0, .unreachable) == "failed network")
    }

    @Test func reasons() {
        let elsewhere = "answered-elsewhere - SIP 200"
        for header in [
            "Q.850;cause=16;text=\"a, b;cause=1\", SIP ; cause = 200", "sip;text=\"x\\\"\";CAUSE=\"200\"",
            "X;cause=17,SIP;cause=200",
            "SIP;cause=200;text=\"Call completed, elsewhere\", Q.850;cause=26",
        ] { #expect(end(outgoing: false, 0, nil, header) == elsewhere) }
        for header in [
            "SIP", "SIP;cause=", "SIP;cause=2x0", "SIP;cause=-1", "SIP;cause=٢٠٠", ";cause=200", ",,;", "\"",
        ] {
            #expect(end(outgoing: false, 0, nil, header) == "unanswered -")
        }
        #expect(end(connected: true, 0, nil, "X;cause=1, Q.850;cause=016, SIP;cause=200") == "remote-ended - Q.850 16")
        // A response that says little has the network's cause beside it.
        #expect(end(480, nil, "Q.850;cause=17") == "remote-ended busy SIP 480")
        #expect(end(503, nil, "Q.850;cause=21;text=\"call rejected\"") == "remote-ended rejected SIP 503")
        #expect(end(500, nil, "Q.850;cause=1") == "failed not-found SIP 500")
        #expect(end(487, nil, "SIP;cause=486, Q.850;cause=16") == "remote-ended busy SIP 487")
        #expect(end(404, nil, "Q.850;cause=17") == "failed not-found SIP 404")
        #expect(end(486, nil, "Q.850;cause=1") == "remote-ended busy SIP 486")
        #expect(end(480, nil, "Q.850;cause=16") == "unanswered - SIP 480")
        #expect(end(0, nil, "Q.850;cause=17") == "remote-ended busy Q.850 17")
    }

    @Test func connected() {
        #expect(end(connected: true) == "remote-ended -")
        #expect(end(connected: true, 0, nil, "Q.850;cause=16") == "remote-ended - Q.850 16")
        #expect(end(connected: true, 0, .timeout) == "failed network")
    }

    private func standing(_ code: UInt16, _ failure: SIPFailure? = nil) -> String {
        let standing = SIPStanding(code: code, failure: failure, domain: "a.org")
        return "\(standing.availability.rawValue) \(standing.state): \(standing.text)"
    }

    @Test func registrations() {
        let wrong = "unauthorized failed(OpenCallKit.PluginAccount.Problem.badCredentials)"
        #expect(standing(401) == "\(wrong): a.org refuses the user name or the password")
        #expect(standing(403) == "\(wrong): a.org does not let this user log in")
        let unreachable = "offline failed(OpenCallKit.PluginAccount.Problem.unreachable)"
        #expect(standing(0, .timeout) == "\(unreachable): a.org does not answer")
        #expect(standing(0, .nameNotFound) == "\(unreachable): No server was found for a.org")
        #expect(standing(0, .other(5)) == "\(unreachable): There is no connection to a.org")
        #expect(standing(503) == "\(unreachable): a.org does not take registrations now (SIP 503)")
        let certificate = "offline failed(OpenCallKit.PluginAccount.Problem.certificate)"
        #expect(standing(0, .certificate) == "\(certificate): The certificate of a.org is not valid")
    }
}
