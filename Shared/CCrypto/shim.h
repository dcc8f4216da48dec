#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stdint.h>
#include <string.h>

/* Wrappers for parts of OpenSSL that Swift cannot call: macros, variadic functions and calls that need a parameter
   list. If OpenSSL fails, a function that returns a pointer returns NULL, and every other one returns 0 or less. */

static inline EVP_PKEY *ccrypto_p256_generate(void) { return EVP_EC_gen("P-256"); }

static inline EVP_PKEY *ccrypto_key_from_parameters(const char *type, int selection, OSSL_PARAM_BLD *builder) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (!parameters || !context || EVP_PKEY_fromdata_init(context) <= 0
        || EVP_PKEY_fromdata(context, &key, selection, parameters) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    return key;
}

/* A public P-256 key from its uncompressed point (65 bytes), which must be on the curve. */
static inline EVP_PKEY *ccrypto_p256_public_key(const uint8_t *point) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *check = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0)
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65))
        key = ccrypto_key_from_parameters("EC", EVP_PKEY_PUBLIC_KEY, builder);
    if (key) check = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (key && (!check || EVP_PKEY_public_check(check) <= 0)) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(check);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

static inline EVP_PKEY *ccrypto_rsa_public_key(
    const uint8_t *modulus, size_t modulus_length, const uint8_t *exponent, size_t exponent_length) {
    EVP_PKEY *key = NULL;
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_length, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_length, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e))
        key = ccrypto_key_from_parameters("RSA", EVP_PKEY_PUBLIC_KEY, builder);
    OSSL_PARAM_BLD_free(builder);
    BN_free(e);
    BN_free(n);
    return key;
}

/* An encrypted PEM is refused: without this, OpenSSL would ask for the passphrase on the terminal. */
static inline int ccrypto_no_passphrase(char *buffer, int size, int writing, void *data) {
    (void)buffer, (void)size, (void)writing, (void)data;
    return -1;
}

static inline EVP_PKEY *ccrypto_private_key_from_pem(const uint8_t *pem, size_t length) {
    BIO *source = BIO_new_mem_buf(pem, (int)length);
    EVP_PKEY *key = source ? PEM_read_bio_PrivateKey(source, NULL, ccrypto_no_passphrase, NULL) : NULL;
    BIO_free(source);
    return key;
}

/* PKCS#8, unencrypted, in a memory BIO that the caller frees. */
static inline BIO *ccrypto_private_key_to_pem(const EVP_PKEY *key) {
    BIO *target = BIO_new(BIO_s_secmem());
    if (target && PEM_write_bio_PKCS8PrivateKey(target, key, NULL, NULL, 0, NULL, NULL) > 0) return target;
    BIO_free(target);
    return NULL;
}

static inline size_t ccrypto_bio_bytes(BIO *memory, const uint8_t **bytes) {
    char *start = NULL;
    long length = BIO_get_mem_data(memory, &start);
    *bytes = (const uint8_t *)start;
    return length > 0 ? (size_t)length : 0;
}

static inline int ccrypto_key_is_p256(const EVP_PKEY *key) {
    char group[32];
    return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof group, NULL) > 0
        && (strcmp(group, "prime256v1") == 0 || strcmp(group, "P-256") == 0);
}

static inline int ccrypto_key_is_rsa(const EVP_PKEY *key) { return EVP_PKEY_is_a(key, "RSA"); }

/* Writes a number of the key, big-endian without leading zeros, or padded to `padding` bytes; returns its length. */
static inline int ccrypto_key_number(const EVP_PKEY *key, const char *name, int padding, uint8_t *out, int capacity) {
    BIGNUM *number = NULL;
    int length = -1;
    if (EVP_PKEY_get_bn_param(key, name, &number) > 0) {
        length = padding ? padding : BN_num_bytes(number);
        if (length > capacity || BN_bn2binpad(number, out, length) < 0) length = -1;
    }
    BN_clear_free(number);
    return length;
}

/* A reusable context that signs or verifies SHA-256 digests with the key. */
static inline EVP_PKEY_CTX *ccrypto_signature_context(EVP_PKEY *key, int signing) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (context && (signing ? EVP_PKEY_sign_init(context) : EVP_PKEY_verify_init(context)) > 0
        && (!ccrypto_key_is_rsa(key) || EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) > 0)
        && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) > 0)
        return context;
    EVP_PKEY_CTX_free(context);
    return NULL;
}

/* An ECDSA signature over P-256 has two forms: OpenSSL's ASN.1, at most 72 bytes; and JOSE's r‖s, 64 bytes. */
static inline int ccrypto_p256_signature_to_der(const uint8_t *raw, uint8_t *der) {
    int length = -1;
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(raw, 32, NULL), *s = BN_bin2bn(raw + 32, 32, NULL);
    if (signature && r && s && ECDSA_SIG_set0(signature, r, s)) {
        length = i2d_ECDSA_SIG(signature, &der);
    } else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(signature);
    return length;
}

static inline int ccrypto_p256_signature_from_der(const uint8_t *der, size_t length, uint8_t *raw) {
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)length);
    int done = signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32) == 32;
    ECDSA_SIG_free(signature);
    return done;
}

/* A context for HMAC-SHA256 with the key; `EVP_MAC_init` without a key resets it. */
static inline EVP_MAC_CTX *ccrypto_hmac_sha256_context(const uint8_t *key, size_t length) {
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
    OSSL_PARAM parameters[2] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0), OSSL_PARAM_construct_end()};
    EVP_MAC_free(algorithm);
    if (context && EVP_MAC_init(context, key, length, parameters) > 0) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}
