// A key on the curve P-256: made and used in a millisecond, so that no handshake holds up the clock.

#include "certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

enum { DAY = 24 * 60 * 60, VALID_DAYS = 3650 };

static X509 *sign(EVP_PKEY *key) {
    X509 *certificate = X509_new();
    if (certificate == NULL) return NULL;
    X509_NAME *name = X509_get_subject_name(certificate);
    // The name tells nothing of the user.
    const unsigned char common_name[] = "call";
    bool is_made = X509_set_version(certificate, 2) == 1 &&
                   ASN1_INTEGER_set(X509_get_serialNumber(certificate), (long)(rand_u32() >> 1)) == 1 &&
                   X509_gmtime_adj(X509_getm_notBefore(certificate), -DAY) != NULL &&
                   X509_gmtime_adj(X509_getm_notAfter(certificate), (long)VALID_DAYS * DAY) != NULL &&
                   X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0) == 1 &&
                   X509_set_issuer_name(certificate, name) == 1 && X509_set_pubkey(certificate, key) == 1 &&
                   X509_sign(certificate, key, EVP_sha256()) > 0;
    if (is_made) return certificate;
    X509_free(certificate);
    return NULL;
}

static int use(struct tls *tls, X509 *certificate, EVP_PKEY *key) {
    BIO *texts[2] = {BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem())};
    int error = ENOMEM;
    bool is_written = texts[0] != NULL && texts[1] != NULL && PEM_write_bio_X509(texts[0], certificate) == 1 &&
                      PEM_write_bio_PrivateKey(texts[1], key, NULL, NULL, 0, NULL, NULL) == 1;
    if (is_written) {
        char *certificate_text, *key_text;
        long certificate_length = BIO_get_mem_data(texts[0], &certificate_text);
        long key_length = BIO_get_mem_data(texts[1], &key_text);
        error = tls_set_certificate_pem(tls, certificate_text, (size_t)certificate_length, key_text,
                                        (size_t)key_length);
    }
    BIO_free(texts[0]);
    BIO_free(texts[1]);
    return error;
}

int certificate_make(struct tls **result) {
    struct tls *tls;
    int error = tls_alloc(&tls, TLS_METHOD_DTLS, NULL, NULL);
    if (error != 0) return error;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = key != NULL ? sign(key) : NULL;
    error = certificate != NULL ? use(tls, certificate, key) : ENOMEM;
    X509_free(certificate);
    EVP_PKEY_free(key);
    if (error == 0) error = tls_set_srtp(tls, "SRTP_AES128_CM_SHA1_80:SRTP_AES128_CM_SHA1_32");
    // The far side's certificate is asked for and taken whatever it is: the fingerprint decides.
    if (error == 0) tls_set_verify_client(tls);
    if (error != 0) mem_deref(tls);
    else *result = tls;
    return error;
}
