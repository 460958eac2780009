#!/usr/bin/env -S gjs -m
// Starts a call, prints its states, and ends it some seconds after it is connected.
//
// Usage: call.js HANDLE [SECONDS]     for example: call.js tel:+15550100 10

import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import {exit, programArgs} from 'system';

const NAME = 'org.opencallkit.CallSystem1', ROOT = '/org/opencallkit/CallSystem1';
const CALL = 'org.opencallkit.Call1', PROPERTIES = 'org.freedesktop.DBus.Properties';

const [handle, seconds = '10'] = programArgs;
const bus = Gio.DBus.session, loop = new GLib.MainLoop(null, false);
let call;

function ask(path, name, method, parameters, answer = null) {
    return bus.call_sync(NAME, path, name, method, parameters, answer && new GLib.VariantType(answer), 0, -1, null);
}

function changed(values) {
    if (!values.State)
        return;
    print(values.State);
    if (values.State === 'active')
        GLib.timeout_add_seconds(GLib.PRIORITY_DEFAULT, Number(seconds), hangUp);
}

function hangUp() {
    ask(call, CALL, 'End', null);
    return GLib.SOURCE_REMOVE;
}

function ended(reason, by) {
    print(`over: ${reason}, by ${by}`);
    loop.quit();
}

bus.signal_subscribe(NAME, PROPERTIES, 'PropertiesChanged', null, CALL, 0, (_bus, _sender, path, _name, _signal, body) => {
    if (path === call)
        changed(body.recursiveUnpack()[1]);
});
bus.signal_subscribe(NAME, NAME, 'CallEnded', ROOT, null, 0, (_bus, _sender, _path, _name, _signal, body) => {
    const [path, reason, by] = body.deepUnpack();
    if (path === call)
        ended(reason, by);
});
try {
    [call] = ask(ROOT, NAME, 'StartCall', new GLib.Variant('(s)', [handle]), '(o)').deepUnpack();
    loop.run();
} catch (error) {
    const name = Gio.DBusError.get_remote_error(error);
    Gio.DBusError.strip_remote_error(error);
    printerr(`${name}: ${error.message}`);
    exit(1);
}
