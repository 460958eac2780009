// csip_* functions: each makes a command of its arguments, and the engine's thread carries it out.

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum command_kind {
    ACCOUNT_PUT, ACCOUNT_REMOVE, NETWORK_CHANGED, STOP,
    START, RING, ANSWER, END, HOLD, MUTE, DIGITS, GROUP, TRANSFER, TRANSFER_TO, TAKE_TRANSFER, ANSWER_TRANSFER,
    AUDIO,
};

struct command {
    enum command_kind kind;
    uint32_t account, number;
    uint64_t call, other, token;
    bool flag;
    char *first, *second;
    struct csip_account *settings;
};

static struct mqueue *queue;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tmr stop_timer;

static char *duplicate(const char *text) {
    return text ? strdup(text) : NULL;
}

// The texts of an account's settings.
static const char **settings_texts(struct csip_account *settings, size_t index) {
    const char **texts[] = {
        &settings->user, &settings->domain, &settings->display_name, &settings->auth_user, &settings->password,
        &settings->instance, &settings->proxy, &settings->stun_server, &settings->turn_server, &settings->turn_user,
        &settings->turn_password, &settings->codecs,
    };
    return index < sizeof texts / sizeof texts[0] ? texts[index] : NULL;
}

static struct csip_account *copy_settings(const struct csip_account *settings) {
    struct csip_account *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *settings;
    const char **text;
    for (size_t i = 0; (text = settings_texts(copy, i)); i++) *text = duplicate(*text);
    return copy;
}

static void free_settings(struct csip_account *settings) {
    if (!settings) return;
    const char **text;
    for (size_t i = 0; (text = settings_texts(settings, i)); i++) {
        if (*text) explicit_bzero((char *)*text, strlen(*text));
        free((char *)*text);
    }
    free(settings);
}

static void free_command(struct command *command) {
    if (command->first) explicit_bzero(command->first, strlen(command->first));
    free(command->first);
    free(command->second);
    free_settings(command->settings);
    free(command);
}

static void push(struct command command) {
    struct command *copy = malloc(sizeof *copy);
    if (!copy) return;
    *copy = command;
    pthread_mutex_lock(&queue_lock);
    bool is_lost = !queue || mqueue_push(queue, 0, copy);
    pthread_mutex_unlock(&queue_lock);
    if (is_lost) free_command(copy);
}

static void give_up_waiting(void *argument) {
    (void)argument;
    re_cancel();
}

static void stop(uint32_t milliseconds) {
    engine.is_stopping = true;
    for (struct le *at = engine.accounts.head, *next; at; at = next) {
        next = at->next;
        account_close(at->data);
    }
    tmr_start(&stop_timer, milliseconds, give_up_waiting, NULL);
    engine_check_stopped();
}

static void carry_out_in_call(struct command *command, struct call *call) {
    switch (command->kind) {
    case RING: call_ring(call); break;
    case ANSWER: call_answer(call, command->token); break;
    case END: call_end(call, (uint16_t)command->number, 0, NULL); break;
    case HOLD: call_queue(call, command->flag ? JOB_HOLD : JOB_RESUME, command->token); break;
    case MUTE:
        call->is_muted = command->flag;
        if (call->stream) stream_mute(call->stream, command->flag);
        break;
    case DIGITS:
        if (call->digits_token) call_done(call, call->digits_token, ECANCELED, 0);
        call->digits_token = command->token;
        stream_send_digits(call->stream, command->first);
        break;
    case GROUP:
        call->group = command->other;
        if (call->stream) stream_set_group(call->stream, command->other);
        break;
    case TRANSFER: transfer_start(call, command->first, command->token); break;
    case TRANSFER_TO: transfer_connect(call, call_find(command->other), command->token); break;
    case TAKE_TRANSFER:
        referral_take(call, command->first, command->second, (uint16_t)command->number);
        break;
    case ANSWER_TRANSFER: referral_answer(call, command->flag, command->token); break;
    default: break;
    }
}

// Whether a call can do it now: what asks for a token is refused otherwise.
static bool call_can(const struct command *command, const struct call *call) {
    if (!call) return false;
    switch (command->kind) {
    case ANSWER: return call->is_incoming && call->state == CALL_RINGING;
    case HOLD: return call->state == CALL_UP || call->state == CALL_ANSWERED;
    case DIGITS: return call->state == CALL_UP && command->first && strlen(command->first) <= 256;
    case TRANSFER: case TRANSFER_TO: case ANSWER_TRANSFER: return call->state == CALL_UP;
    default: return true;
    }
}

static void carry_out(int kind, void *data, void *argument) {
    (void)kind;
    (void)argument;
    struct command *command = data;
    struct call *call = NULL;
    switch (command->kind) {
    case ACCOUNT_PUT: if (!engine.is_stopping) account_put(command->settings); break;
    case ACCOUNT_REMOVE: account_remove(command->account); break;
    case NETWORK_CHANGED: engine_network_changed(); break;
    case STOP: stop(command->number); break;
    case START: call_start(command->account, command->call, command->first, command->flag); break;
    case AUDIO: media_set_audio(command->flag, command->first, command->second); break;
    default:
        call = call_find(command->call);
        if (call_can(command, call)) {
            carry_out_in_call(command, call);
        } else if (command->token) {
            engine_event(&(struct csip_event){
                .kind = CSIP_DONE, .call = command->call, .token = command->token,
                .error = call ? EBUSY : ENOENT,
            });
        }
    }
    free_command(command);
}

int commands_open(void) {
    tmr_init(&stop_timer);
    pthread_mutex_lock(&queue_lock);
    int error = mqueue_alloc(&queue, carry_out, NULL);
    pthread_mutex_unlock(&queue_lock);
    return error;
}

void commands_close(void) {
    tmr_cancel(&stop_timer);
    pthread_mutex_lock(&queue_lock);
    queue = mem_deref(queue);
    pthread_mutex_unlock(&queue_lock);
}

void command_stop(uint32_t milliseconds) {
    push((struct command){.kind = STOP, .number = milliseconds});
}

void csip_account_put(const struct csip_account *account) {
    push((struct command){.kind = ACCOUNT_PUT, .settings = copy_settings(account)});
}

void csip_account_remove(uint32_t id) {
    push((struct command){.kind = ACCOUNT_REMOVE, .account = id});
}

void csip_network_changed(void) {
    push((struct command){.kind = NETWORK_CHANGED});
}

void csip_call_start(uint32_t account, uint64_t call, const char *uri, bool is_anonymous) {
    push((struct command){
        .kind = START, .account = account, .call = call, .first = duplicate(uri), .flag = is_anonymous});
}

void csip_call_ring(uint64_t call) {
    push((struct command){.kind = RING, .call = call});
}

void csip_call_answer(uint64_t call, uint64_t token) {
    push((struct command){.kind = ANSWER, .call = call, .token = token});
}

void csip_call_end(uint64_t call, uint16_t code) {
    push((struct command){.kind = END, .call = call, .number = code});
}

void csip_call_hold(uint64_t call, bool is_held, uint64_t token) {
    push((struct command){.kind = HOLD, .call = call, .flag = is_held, .token = token});
}

void csip_call_mute(uint64_t call, bool is_muted) {
    push((struct command){.kind = MUTE, .call = call, .flag = is_muted});
}

void csip_call_send_digits(uint64_t call, const char *digits, uint64_t token) {
    push((struct command){.kind = DIGITS, .call = call, .first = duplicate(digits), .token = token});
}

void csip_call_group(uint64_t call, uint64_t group) {
    push((struct command){.kind = GROUP, .call = call, .other = group});
}

void csip_call_transfer(uint64_t call, const char *uri, uint64_t token) {
    push((struct command){.kind = TRANSFER, .call = call, .first = duplicate(uri), .token = token});
}

void csip_call_transfer_to(uint64_t call, uint64_t other, uint64_t token) {
    push((struct command){.kind = TRANSFER_TO, .call = call, .other = other, .token = token});
}

void csip_call_take_transfer(uint64_t call, const char *uri, const char *replaces, uint16_t code) {
    push((struct command){
        .kind = TAKE_TRANSFER, .call = call, .first = duplicate(uri), .second = duplicate(replaces), .number = code,
    });
}

void csip_call_answer_transfer(uint64_t call, bool is_accepted, uint64_t token) {
    push((struct command){.kind = ANSWER_TRANSFER, .call = call, .flag = is_accepted, .token = token});
}

void csip_audio(bool is_on, const char *source, const char *sink) {
    push((struct command){.kind = AUDIO, .flag = is_on, .first = duplicate(source), .second = duplicate(sink)});
}
