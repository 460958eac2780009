"""The torture messages of RFC 4475: SIP messages that are valid and hard to read, or invalid in many ways.

Written after the text of the RFC: names, headers and oddities are its own, long values are made up of repetitions.
"""

import os
import re
import sys

SDP = """v=0
o=mhandley 29739 7272939 IN IP4 192.0.2.3
s=-
c=IN IP4 192.0.2.4
t=0 0
m=audio 49217 RTP/AVP 0 12
m=video 3227 RTP/AVP 31
a=rtpmap:31 LPC
"""


def message(text, body=""):
    """The bytes of a message. `{length}` is the body's; `\\xHH` in the text is a byte."""
    lines = text.strip("\n").replace("{length}", str(len(body.replace("\n", "\r\n")))).split("\n")
    raw = "\r\n".join(lines) + "\r\n\r\n" + body.replace("\n", "\r\n")
    return re.sub(rb"\\x([0-9A-F]{2})", lambda found: bytes([int(found[1], 16)]), raw.encode())


def options(name, *lines, start="OPTIONS sip:user@example.com SIP/2.0",
            via="SIP/2.0/UDP host4.example.com;branch=z9hG4bKx",
            sender="<sip:caller@example.org>;tag=33242", to="sip:user@example.com", sequence="8 OPTIONS", forwards="70",
            length="l: 0", body=""):
    """A short request. What is None is left out."""
    heads = (("To: ", to), ("From: ", sender), ("Max-Forwards: ", forwards), ("Via: ", via), ("CSeq: ", sequence))
    head = [start, *(key + value for key, value in heads if value is not None),
            f"Call-ID: {name}.sadonfo23i420jv0as0derf3j3n", *lines, *([length] if length else [])]
    return message("\n".join(head), body)


def invite(name, *lines, **values):
    """A short INVITE with a description."""
    head = {"start": "INVITE sip:user@example.com SIP/2.0", "sequence": "8 INVITE",
            "length": "Content-Length: {length}", "body": SDP, **values}
    return options(name, "Contact: <sip:caller@host5.example.net>", "Content-Type: application/sdp", *lines, **head)


VALID = {
    "wsinv": message("""
INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0
TO :
 sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n
from   : "J Rosenberg \\\\\\""       <sip:jdrosen@example.com>
  ;
  tag = 98asjd8
MaX-fOrWaRdS: 0068
Call-ID: wsinv.ndaksdj@192.0.2.1
Content-Length   : {length}
cseq: 0009
  INVITE
Via  : SIP  /   2.0
 /UDP
    192.0.2.2;branch=390skdjuw
s :
NewFangledHeader:   newfangled value
 continued newfangled value
UnknownHeaderWithUnusualValue: ;;,,;;,;
Content-Type: application/sdp
Route:
 <sip:services.example.com;lr;unknownwith=value;unknown-no-value>
v:  SIP  / 2.0  / TCP     spindle.example.com   ;
  branch  =   z9hG4bK9ikj8  ,
 SIP  /    2.0   / UDP  192.168.255.111   ; branch=
 z9hG4bK30239
m:"Quoted string \\"\\"" <sip:jdrosen@example.com> ; newparam =
      newvalue ;
  secondparam ; q = 0.33
""", SDP),
    "intmeth": message(r"""
!interesting-Method0123456789_*+`.%indeed'~ sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*:&it+has=1,weird!*pas$wo~d_too.(doesn't-it)@example.com SIP/2.0
Via: SIP/2.0/TCP host1.example.com;branch=z9hG4bK-.!%66*_+`'~
To: "BEL:\\x07 NUL:\\x00 DEL:\\x7F" <sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*@example.com>
From: token1~` token2'+_ token3*%!.- <sip:mundane@example.com> ;fromParam''~+*_!.-%="\xD1\x80\xD0\xB0\xD0\xB1\xD0\xBE\xD1\x82\xD0\xB0";tag=_token~1'+`*%!-.
Call-ID: intmeth.word%ZK-!.*_+'@word`~)(><:\/"][?}{
CSeq: 139122385 !interesting-Method0123456789_*+`.%indeed'~
Max-Forwards: 255
extensionHeader-!.%*+_`'~:\xEF\xBB\xBF\xE5\xA4\xA7\xE5\x81\x9C\xE9\x9B\xBB
Content-Length: 0
"""),
    "esc01": message("""
INVITE sip:sips%3Auser%40example.com@example.net SIP/2.0
To: sip:%75se%72@example.com
From: <sip:I%20have%20spaces@example.net>;tag=938
Max-Forwards: 87
i: esc01.239409asdfakjkn23onasd0-3234
CSeq: 234234 INVITE
Via: SIP/2.0/UDP host5.example.net;branch=z9hG4bKkdjuw
C: application/sdp
Contact:
  <sip:cal%6Cer@host5.example.net;%6C%72;n%61me=v%61lue%25%34%31>
Content-Length: {length}
""", SDP),
    "escnull": options("escnull", "Contact: <sip:%00@host5.example.com>", "Contact: <sip:%00%00@host5.example.com>",
                       start="REGISTER sip:example.com SIP/2.0", sequence="14398234 REGISTER",
                       to="sip:null-%00-null@example.com", sender="sip:null-%00-null@example.com;tag=839923423"),
    "esc02": message("""
RE%47IST%45R sip:registrar.example.com SIP/2.0
To: "%Z%45" <sip:resource@example.com>
From: "%Z%45" <sip:resource@example.com>;tag=f232jadfj23
Call-ID: esc02.asdfnqwo34rq23i34jrjasdcnl23nrlknsdf
Via: SIP/2.0/TCP host.example.com;branch=z9hG4bK209%fzsnel234
CSeq: 29344 RE%47IST%45R
Max-Forwards: 70
Contact: <sip:alias1@host1.example.com>
C%6Fntact: <sip:alias2@host2.example.com>
Contact: <sip:alias3@host3.example.com>
l: 0
"""),
    "lwsdisp": options("lwsdisp", sender="caller<sip:caller@example.com>;tag=323"),
    "longreq": message(f"""
INVITE sip:user@example.com SIP/2.0
To: "I have a user name of {'extreme' * 10} proportion"<sip:user@example.com:6000;unknownparam1=very{'long' * 20}value;longparam{'name' * 25}=shortvalue;very{'long' * 25}ParameterNameWithNoValue>
F: sip:{'amazinglylongcallername' * 5}@example.net;tag=12{'982' * 50}424;unknownheaderparam{'name' * 20}=unknowheaderparam{'value' * 15};unknownValueless{'paramname' * 10}
Call-ID: longreq.one{'really' * 20}longcallid
CSeq: 3882340 INVITE
Unknown-{'Long' * 20}-Name: unknown-{'long' * 20}-value; unknown-{'long' * 20}-parameter-name = unknown-{'long' * 20}-parameter-value
{chr(10).join(f'Via: SIP/2.0/TCP sip{number}.example.com' for number in range(33, 0, -1))}
v: SIP/2.0/TCP host.example.com;received=192.0.2.5;branch=very{'long' * 50}branchvalue
Max-Forwards: 70
Contact: <sip:{'amazinglylongcallername' * 5}@host5.example.net>
Content-Type: application/sdp
l: {{length}}
""", SDP),
    "dblreq": options("dblreq", "Contact: sip:j.user@host.example.com", start="REGISTER sip:example.com SIP/2.0",
                      sequence="8 REGISTER", body="""
INVITE sip:joe@example.com SIP/2.0
t: sip:joe@example.com
From: sip:caller@example.net;tag=141334
Max-Forwards: 8
Call-ID: dblreq.0ha0isnda977644900765@192.0.2.15
CSeq: 8 INVITE
Via: SIP/2.0/UDP 192.0.2.15;branch=z9hG4bKkdjuw380234
Content-Type: application/sdp
Content-Length: 150

""" + SDP),
    "semiuri": options("semiuri", "Accept: application/sdp, application/pkcs7-mime", start="OPTIONS "
                       "sip:user;par=u%40example.net@example.com SIP/2.0", to="sip:j_user@example.com"),
    "transports": options("transports", *(f"Via: SIP/2.0/{kind} t{kind}.example.com;branch=z9hG4bK{kind}"
                                          for kind in ("SCTP", "TLS", "UNKNOWN", "TCP"))),
    "mpart01": message("""
MESSAGE sip:kumiko@example.org SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:5070;branch=z9hG4bK-d87543-4dade06d0bdb11ee-1--d87543-;rport
Max-Forwards: 70
Route: <sip:127.0.0.1:5080>
Identity: r5mwreLuyDRYBi/0TiPwEsY3rEVsk/G2WxhgTV1PF7hHuLIK0YWVKZhKv9Mj8UeXqkMVbnVq37CD+813gvYjcBUaZngQmXc9WNZSDNGCzA+fWl9MEUHWIZo1CeJebdY/XlgKeTa0Olvq0rt70Q5jiSfbqMJmQFteeivUhkMWYUA=
Contact: <sip:fluffy@127.0.0.1:5070>
To: <sip:kumiko@example.org>
From: <sip:fluffy@example.com>;tag=2fb0dcc9
Call-ID: 3d9485ad0c49859b@Zmx1ZmZ5LW1hYy0xNi5sb2NhbA..
CSeq: 1 MESSAGE
Content-Transfer-Encoding: binary
Content-Type: multipart/mixed;boundary=7a9cbec02ceef655
Date: Sat, 15 Oct 2005 04:44:56 GMT
User-Agent: SIPimp.org/0.2.5 (curses)
Content-Length: {length}
""", "--7a9cbec02ceef655\nContent-Type: text/plain\nContent-Transfer-Encoding: binary\n\nHello\n"
     "--7a9cbec02ceef655\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: binary\n\n"
     "0\\x82\\x01R\\x06\\x09*\\x86H\\x86\\xF7\\x0D\\x01\\x07\\x02\\xA0\\x82\\x00\\x00\\xFF\n--7a9cbec02ceef655--\n"),
    "unreason": message(r"""
SIP/2.0 200 = 2**3 * 5**2 \xD0\xBD\xD0\xBE \xD1\x81\xD1\x82\xD0\xBE \xD0\xB4\xD0\xB5\xD0\xB2\xD1\x8F\xD0\xBD\xD0\xBE
Via: SIP/2.0/UDP 192.0.2.198;branch=z9hG4bK1324923
Call-ID: unreason.1234ksdfak3j2erwedfsASdf
CSeq: 35 INVITE
From: sip:user@example.com;tag=11141343
To: sip:user@example.edu;tag=2229
Content-Length: {length}
Content-Type: application/sdp
Contact: <sip:user@host198.example.com>
""", SDP),
    "noreason": message("""
SIP/2.0 100\\x20
Via: SIP/2.0/UDP 192.0.2.105;branch=z9hG4bK2398ndaoe
Call-ID: noreason.asndj203insdf99223ndf
CSeq: 35 INVITE
From: <sip:user@example.com>;tag=39ansfi3
To: <sip:user@example.edu>;tag=902jndnke3
Content-Length: 0
Contact: <sip:user@host105.example.com>
"""),
}
"""Section 3.1.1: valid messages."""

INVALID = {
    "badinv01": options("badinv01", "Contact: \"Joe\" <sip:joe@example.org>;;;;", "Content-Type: application/sdp",
                        start="INVITE sip:user@example.com SIP/2.0", to="sip:j.user@example.com",
                        sender="sip:caller@example.net;tag=134161461246", sequence="8 INVITE",
                        via="SIP/2.0/UDP 192.0.2.15;;,;,,", length="Content-Length: {length}", body=SDP),
    "clerr": invite("clerr", length="Content-Length: 9999"),
    "ncl": invite("ncl", length="Content-Length: -999"),
    "scalar02": options("scalar02", "Contact: <sip:user@host129.example.com>;expires=280297596632815",
                        "Expires: 1000000000000000000000000000000000", start="REGISTER sip:example.com SIP/2.0",
                        forwards="300", sequence="36893488147419103232 REGISTER"),
    "scalarlg": message("""
SIP/2.0 503 Service Unavailable
Via: SIP/2.0/TCP host129.example.com;branch=z9hG4bKzzxdiwo34sw;received=192.0.2.129
To: <sip:user@example.com>
From: <sip:other@example.net>;tag=2easdjfejw
CSeq: 9292394834772304023312 OPTIONS
Call-ID: scalarlg.noase0of0234hn2qofoaf0232aewf2394r
Retry-After: 949302838503028349304023988
Warning: 1812 overture "In Progress"
Content-Length: 0
"""),
    "quotbal": options("quotbal", "Contact: <sip:caller@host59.example.net>",
                       start="INVITE sip:user@example.com SIP/2.0", sequence="8 INVITE", to="\"Mr. J. User <sip:j.user@example.com>"),
    "ltgtruri": invite("ltgtruri", start="INVITE <sip:user@example.com> SIP/2.0"),
    "lwsruri": invite("lwsruri", start="INVITE sip:user@example.com; lr SIP/2.0"),
    "lwsstart": invite("lwsstart", start="INVITE  sip:user@example.com  SIP/2.0"),
    "trws": invite("trws", start="OPTIONS sip:remote-target@example.com SIP/2.0  ", sequence="8 OPTIONS"),
    "escruri": invite("escruri", start="INVITE sip:user@example.com?Route=%3Csip:example.com%3E SIP/2.0"),
    "baddate": invite("baddate", "Date: Fri, 01 Jan 2010 16:00:00 EST"),
    "regbadct": options("regbadct", "Contact: sip:user@example.com?Route=%3Csip:sip.example.com%3E",
                        start="REGISTER sip:example.com SIP/2.0", sequence="8 REGISTER"),
    "badaspec": options("badaspec", "Accept: application/sdp", start="OPTIONS sip:user@example.org SIP/2.0",
                        sender="\"Bell, Alexander\" <sip:a.g.bell@example.com>;tag=433423",
                        to="\"Watson, Thomas\" < sip:t.watson@example.org >"),
    "baddn": options("baddn", sender="Bell, Alexander <sip:a.g.bell@example.com>;tag=43",
                     to="Watson, Thomas <sip:t.watson@example.org>"),
    "badvers": options("badvers", start="OPTIONS sip:t.watson@example.org SIP/7.0",
                       via="SIP/7.0/UDP c.example.com;branch=z9hG4bKk"),
    "mismatch01": options("mismatch01", sequence="8 INVITE"),
    "mismatch02": options("mismatch02", start="NEWMETHOD sip:user@example.com SIP/2.0", sequence="8 INVITE"),
    "bigcode": message("""
SIP/2.0 4294967301 better not break the receiver
Via: SIP/2.0/UDP 192.0.2.105;branch=z9hG4bK2398ndaoe
Call-ID: bigcode.asdof3uj203asdnf3429uasdhfas3ehjasdfas9i
CSeq: 353494 INVITE
From: <sip:user@example.com>;tag=39ansfi3
To: <sip:user@example.edu>;tag=902jndnke3
Content-Length: 0
Contact: <sip:user@host105.example.com>
"""),
}
"""Section 3.1.2: messages that are no SIP."""

UNUSUAL = {
    "badbranch": options("badbranch", "Accept: application/sdp", forwards="3",
                         via="SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK"),
    "insuf": message("""
INVITE sip:user@example.com SIP/2.0
CSeq: 193942 INVITE
Via: SIP/2.0/UDP 192.0.2.95;branch=z9hG4bKkdj.insuf
Content-Type: application/sdp
l: {length}
""", SDP),
    "unkscm": options("unkscm", start="OPTIONS nobodyKnowsThisScheme:totallyopaquecontent SIP/2.0"),
    "novelsc": options("novelsc", start="OPTIONS soap.beep://192.0.2.103:3002 SIP/2.0"),
    "unksm2": options("unksm2", "Contact: <name:John_Smith>", start="REGISTER sip:example.com SIP/2.0",
                      sequence="234902 REGISTER", to="isbn:2983792873", sender="<http://www.example.com>;tag=3234233"),
    "bext01": options("bext01", "Proxy-Require: nothingSupportsThis, nothingSupportsThisEither",
                      "Require: nothingSupportsThis, nothingSupportsThisEither"),
    "invut": options("invut", "Contact: <sip:caller@host5.example.net>", "Content-Type: application/unknownformat",
                     start="INVITE sip:user@example.com SIP/2.0", sequence="8 INVITE",
                     length="Content-Length: {length}", body="<audio>\n <pcmu port=\"443\"/>\n</audio>\n"),
    "regaut01": options("regaut01", "Contact: <sip:j.user@host.example.com>", "Authorization: NoOneKnowsThisScheme "
                        "opaque-data=here", start="REGISTER sip:example.com SIP/2.0", sequence="9338 REGISTER"),
    "multi01": invite("multi01", "CSeq: 59 INVITE", "Call-ID: multi01.98asdh@192.0.2.1",
                      "Call-ID: multi01.98asdh@192.0.2.2",
                      "From: sip:caller@example.net;tag=3413415", "To: sip:other@example.net", "Max-Forwards: 5",
                      "Content-Type: multipart/mixed;boundary=7a9cbec02ceef655"),
    "mcl01": options("mcl01", "Content-Length: 13", "Content-Length: 5", length="Content-Length: 0",
                     body="There's no way to know how many octets are supposed to be here.\n"),
    "bcast": message("""
SIP/2.0 200 OK
Via: SIP/2.0/UDP 192.0.2.198;branch=z9hG4bK1324923
Via: SIP/2.0/UDP 255.255.255.255;branch=z9hG4bK1saber23
Call-ID: bcast.0384840201234ksdfak3j2erwedfsASdf
CSeq: 35 INVITE
From: sip:user@example.com;tag=11141343
To: sip:user@example.edu;tag=2229
Content-Length: {length}
Content-Type: application/sdp
Contact: <sip:user@host198.example.com>
""", SDP),
    "zeromf": options("zeromf", forwards="0"),
    "cparam01": options("cparam01", "Contact: sip:+19725552222@gw1.example.net;unknownparam",
                        start="REGISTER sip:example.com SIP/2.0", sequence="79 REGISTER"),
    "cparam02": options("cparam02", "Contact: <sip:+19725552222@gw1.example.net;unknownparam>",
                        start="REGISTER sip:example.com SIP/2.0", sequence="79 REGISTER"),
    "regescrt": options("regescrt", "Contact: <sip:user@example.com?Route=%3Csip:sip.example.com%3E>",
                        start="REGISTER sip:example.com SIP/2.0", sequence="14398234 REGISTER"),
    "sdp01": invite("sdp01", "Accept: text/nobodyKnowsThis"),
    "inv2543": message("""
INVITE sip:UserB@example.com SIP/2.0
Via: SIP/2.0/UDP iftgw.example.com
From: <sip:+13035551111@ift.client.example.net;user=phone>
Record-Route: <sip:UserB@example.com;maddr=ss1.example.com>
To: sip:+16505552222@ss1.example.net;user=phone
Call-ID: inv2543.1717@ift.client.example.com
CSeq: 56 INVITE
Content-Type: application/sdp

""", SDP),
}
"""Sections 3.1.2.19 to 3.4: messages that are well written, and mean what a receiver may not know."""

MESSAGES = {**VALID, **INVALID, **UNUSUAL}


def aimed(name, user, host, port, transport, serial):
    """A message for the contact `user` at this port, whose answers come back, with a branch and Call-ID of its own."""
    data = MESSAGES[name]
    start, _, rest = data.partition(b"\r\n")
    words = start.split(b" ")
    plain = re.fullmatch(rb"\w+ sips?:[^ ]+ SIP/2.0", start)
    if plain and words[0] in (b"INVITE", b"OPTIONS"):
        start = b"%s sip:%s@%s:%d SIP/2.0" % (words[0], user.encode(), host.encode(), port)
    own = b"%s%d" % (transport.encode(), serial)
    rest = re.sub(rb"branch\s*=\s*(?:\r\n )?([\w.-]+)", lambda found: found[0] + own, rest)
    rest = re.sub(rb"(?im)^((?:Call-ID|i)\s*:\s*)(?=\S)", lambda found: found[0] + own, rest)
    return start + b"\r\n" + rest


def write(folder):
    """Writes each message into a file of its own: seeds for fuzzers."""
    os.makedirs(folder, exist_ok=True)
    for name, data in MESSAGES.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    write(sys.argv[1])
