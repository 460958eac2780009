#!/usr/bin/env -S gjs -m
// Answers the next ringing call, prints the caller, and waits until the call has ended.
//
// An active call of any app or network is held first; with --end it is ended.
// Usage: answer.js [--end]

import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import {exit, programArgs} from 'system';

const NAME = 'org.opencallkit.CallSystem1', ROOT = '/org/opencallkit/CallSystem1';
const CALL = 'org.opencallkit.Call1', IDENTITY = 'org.opencallkit.CallIdentity1';
const OBJECTS = 'org.freedesktop.DBus.ObjectManager', PROPERTIES = 'org.freedesktop.DBus.Properties';

const bus = Gio.DBus.session, loop = new GLib.MainLoop(null, false);
let answered;

function ask(path, name, method, parameters, answer = null) {
    return bus.call_sync(NAME, path, name, method, parameters, answer && new GLib.VariantType(answer), 0, -1, null);
}

function seen(path, interfaces) {
    if (answered || interfaces[CALL]?.State !== 'ringing')
        return;
    answered = path;
    const [who] = ask(path, PROPERTIES, 'GetAll', new GLib.Variant('(s)', [IDENTITY]), '(a{sv})').recursiveUnpack();
    print(`${who.CallerName || who.Handle[1]} is calling`);
    const options = programArgs.includes('--end') ? {conflict: new GLib.Variant('s', 'end')} : {};
    try {
        ask(path, CALL, 'AnswerWith', new GLib.Variant('(a{sv})', [options]));
    } catch (error) {
        const name = Gio.DBusError.get_remote_error(error);
        Gio.DBusError.strip_remote_error(error);
        printerr(`${name}: ${error.message}`);
        exit(1);
    }
    print('answered');
}

function ended(reason, by) {
    print(`over: ${reason}, by ${by}`);
    loop.quit();
}

bus.signal_subscribe(NAME, OBJECTS, 'InterfacesAdded', ROOT, null, 0, (_bus, _sender, _path, _name, _signal, body) => {
    seen(...body.recursiveUnpack());
});
bus.signal_subscribe(NAME, NAME, 'CallEnded', ROOT, null, 0, (_bus, _sender, _path, _name, _signal, body) => {
    const [path, reason, by] = body.deepUnpack();
    if (path === answered)
        ended(reason, by);
});
const [objects] = ask(ROOT, OBJECTS, 'GetManagedObjects', null, '(a{oa{sa{sv}}})').recursiveUnpack();
for (const [path, interfaces] of Object.entries(objects))
    seen(path, interfaces);
loop.run();
