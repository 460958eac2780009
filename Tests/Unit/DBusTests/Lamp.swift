// Lamp: an object that offers one of everything.

import DBus
import EventLoop

@LoopActor
final class Lamp {
    enum Mishap: DBusErrorConvertible {
        case broken
        var dbusError: DBusError { DBusError("org.example.Error.Broken", "lamp is broken") }
    }

    struct Unnamed: Error, CustomStringConvertible {
        var description: String { "no name" }
    }

    static let switched = Signal<Bool, String>("org.example.Lamp1", "Switched", args: ["on", "by"])

    static let interface = Interface<Lamp>("org.example.Lamp1", annotations: ["org.example.Kind": "<light>"]) {
        Method("Switch", in: ["on"]) { (lamp: Lamp, _, isOn: Bool) in lamp.isOn = isOn }
        Method("Describe", in: ["word", "details"], out: ["text", "count"]) {
            (_, _, word: String, details: VariantDictionary) in ("\(word)!", UInt32(details.count))
        }
        Method("Fail", in: ["how"], deprecated: true) { (_: Lamp, _, how: String) in
            switch how {
            case "typed": throw DBusError("org.example.Error.Typed", "as asked")
            case "mapped": throw Mishap.broken
            default: throw Unnamed()
            }
        }
        Method("WhoAmI", out: ["name"]) { _, context in context.sender ?? "" }
        DeferredMethod("Wait", in: ["key"], out: ["answer"]) {
            (lamp: Lamp, invocation: Invocation<String>, key: String) in
            if key == "throw" { throw Mishap.broken }
            if key != "drop" { lamp.waiting[key] = invocation }
        }
        DeferredMethod("Pause", annotations: ["org.freedesktop.DBus.Method.NoReply": "true"]) {
            (_: Lamp, invocation: VoidInvocation) in invocation.reply()
        }
        switched
        Property("IsOn") { $0.isOn }
        Property("Brightness", get: { $0.brightness }, set: { try $0.set(brightness: $2) })
        Property("Kind", changes: .constant) { _ in "bulb" }
        Property("Colors", changes: .invalidates) { _ in ["red": [UInt8(255), 0, 0]] }
        Property("Faulty", changes: .silent) { lamp in
            if lamp.isFaulty { throw Mishap.broken }
            return lamp.text
        }
    }

    static let secret = Interface<Lamp>("org.example.Secret1", announcesValues: false) {
        Property("Owner") { $0.owner }
    }

    var isOn = false
    var brightness: UInt32 = 5
    var isFaulty = true
    var text = ""
    var owner = "nobody"
    var waiting: [String: Invocation<String>] = [:]

    func set(brightness: UInt32) throws(DBusError) {
        guard brightness <= 10 else { throw DBusError("org.example.Error.TooBright", "\(brightness) is over 10") }
        self.brightness = brightness
    }
}

/// The expected introspection of `Lamp.interface`.
let lampXML = """
      <interface name="org.example.Lamp1">
        <annotation name="org.example.Kind" value="&lt;light&gt;"/>
        <method name="Switch">
          <arg name="on" type="b" direction="in"/>
        </method>
        <method name="Describe">
          <arg name="word" type="s" direction="in"/>
          <arg name="details" type="a{sv}" direction="in"/>
          <arg name="text" type="s" direction="out"/>
          <arg name="count" type="u" direction="out"/>
        </method>
        <method name="Fail">
          <arg name="how" type="s" direction="in"/>
          <annotation name="org.freedesktop.DBus.Deprecated" value="true"/>
        </method>
        <method name="WhoAmI">
          <arg name="name" type="s" direction="out"/>
        </method>
        <method name="Wait">
          <arg name="key" type="s" direction="in"/>
          <arg name="answer" type="s" direction="out"/>
        </method>
        <method name="Pause">
          <annotation name="org.freedesktop.DBus.Method.NoReply" value="true"/>
        </method>
        <signal name="Switched">
          <arg name="on" type="b"/>
          <arg name="by" type="s"/>
        </signal>
        <property name="IsOn" type="b" access="read"/>
        <property name="Brightness" type="u" access="readwrite"/>
        <property name="Kind" type="s" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="const"/>
        </property>
        <property name="Colors" type="a{say}" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="invalidates"/>
        </property>
        <property name="Faulty" type="s" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
        </property>
      </interface>
    """
