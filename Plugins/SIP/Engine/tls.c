// TLS towards a server whose certificate is checked: signed by one of the system's authorities, in its time, and made
// out to the account's domain (RFC 5922) or to the host of the proxy, which the user typed as well. libre checks nothing
// by itself.

#include <errno.h>
#include <string.h>

#define USE_OPENSSL 1
#include "internal.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

struct names {
    char domain[256], proxy_host[256];
};

static int names_index = -1;

static void free_names(void *parent, void *names, CRYPTO_EX_DATA *data, int index, long number, void *argument) {
    (void)parent; (void)data; (void)index; (void)number; (void)argument;
    mem_deref(names);
}

static bool is_made_out_to(X509 *certificate, const char *host) {
    if (!*host) return false;
    struct sa address;
    if (!sa_set_str(&address, host, 0)) return X509_check_ip_asc(certificate, host, 0) == 1;
    return X509_check_host(certificate, host, 0, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, NULL) == 1;
}

// Is asked for each certificate of the chain; the server's own is the one at depth 0.
static int verify(int is_trusted, X509_STORE_CTX *store) {
    if (!is_trusted) return 0;
    if (X509_STORE_CTX_get_error_depth(store) > 0) return 1;
    SSL *connection = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    SSL_CTX *context = connection ? SSL_get_SSL_CTX(connection) : NULL;
    const struct names *names = context ? SSL_CTX_get_ex_data(context, names_index) : NULL;
    X509 *certificate = X509_STORE_CTX_get_current_cert(store);
    if (names && certificate
        && (is_made_out_to(certificate, names->domain) || is_made_out_to(certificate, names->proxy_host))) {
        return 1;
    }
    X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
    return 0;
}

// Tells the server which host is meant (SNI), before the first message.
static void name_server(const SSL *connection, int where, int value) {
    (void)value;
    if (!(where & SSL_CB_HANDSHAKE_START) || SSL_is_server(connection)) return;
    const struct names *names = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), names_index);
    struct sa address;
    if (!names || !sa_set_str(&address, names->domain, 0)) return;
    SSL_set_tlsext_host_name((SSL *)connection, names->domain);
}

static int keep_names(SSL_CTX *context, const char *domain, const char *proxy_host) {
    if (names_index < 0) names_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_names);
    struct names *names = mem_zalloc(sizeof *names, NULL);
    if (!names) return ENOMEM;
    str_ncpy(names->domain, domain, sizeof names->domain);
    str_ncpy(names->proxy_host, proxy_host ? proxy_host : "", sizeof names->proxy_host);
    if (names_index >= 0 && SSL_CTX_set_ex_data(context, names_index, names)) return 0;
    mem_deref(names);
    return ENOMEM;
}

int tls_context_alloc(struct tls **tls, const char *domain, const char *proxy_host) {
    struct tls *made = NULL;
    int error = tls_alloc(&made, TLS_METHOD_SSLV23, NULL, NULL);
    if (error) return error;
    SSL_CTX *context = (SSL_CTX *)tls_openssl_context(made);
    if (!context) error = ENOSYS;
    if (!error) error = keep_names(context, domain, proxy_host);
    if (!error && !SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)) error = EPROTO;
    if (!error && !SSL_CTX_set_default_verify_paths(context)) error = EPROTO;
    if (error) {
        ERR_clear_error();
        mem_deref(made);
        return error;
    }
    SSL_CTX_set_purpose(context, X509_PURPOSE_SSL_SERVER);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, verify);
    SSL_CTX_set_info_callback(context, name_server);
    *tls = made;
    return 0;
}
