#pragma once
#include <curl/curl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* Swift cannot call curl's setters and getters, which are variadic: here is one wrapper for each type of argument. */

static inline CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

/* curl copies the text; NULL removes the option. */
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}

/* curl keeps a pointer to the list and the buffer: they must outlive the transfer. */
static inline CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *list) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
}

static inline CURLcode ccurl_set_error_buffer(CURL *easy, char *buffer) {
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

/* The size must be set first, because curl copies that number of bytes. */
static inline CURLcode ccurl_set_body(CURL *easy, const uint8_t *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, (const char *)bytes) : code;
}

static inline CURLcode ccurl_set_maximum_reply(CURL *easy, int64_t bytes) {
    return curl_easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)bytes);
}

typedef size_t (*ccurl_take)(char *bytes, size_t size, size_t count, void *transfer);
typedef int (*ccurl_begin)(void *transfer, char *remote_ip, char *local_ip, int remote_port, int local_port);

static inline void ccurl_set_callbacks(
    CURL *easy, void *transfer, ccurl_begin begin, ccurl_take header, ccurl_take body) {
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, begin);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
}

typedef curl_socket_t (*ccurl_open)(void *transfer, curlsocktype purpose, struct curl_sockaddr *address);

/* `open` makes each socket of the handle's connections. It sees the address that curl is about to connect to. */
static inline void ccurl_set_opening(CURL *easy, void *transfer, ccurl_open open) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
}

/* Copies the bytes of an address, 4 or 16, and returns their number; 0 for an address of another family. */
static inline size_t ccurl_read_address(const struct curl_sockaddr *address, uint8_t bytes[16], uint16_t *port) {
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in v4;
        memcpy(&v4, &address->addr, sizeof v4);
        memcpy(bytes, &v4.sin_addr, 4);
        *port = ntohs(v4.sin_port);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 v6;
        memcpy(&v6, &address->addr, sizeof v6);
        memcpy(bytes, &v6.sin6_addr, 16);
        *port = ntohs(v6.sin6_port);
        return 16;
    }
    return 0;
}

static inline curl_socket_t ccurl_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Returns 0 if curl does not know the number yet. */
static inline long ccurl_number(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline void *ccurl_transfer(CURL *easy) {
    void *transfer = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    return transfer;
}

static inline CURLMcode ccurl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

typedef int (*ccurl_watch)(CURL *easy, curl_socket_t descriptor, int what, void *client, void *socket);
typedef int (*ccurl_time)(CURLM *multi, long milliseconds, void *client);

static inline void ccurl_multi_set_callbacks(CURLM *multi, void *client, ccurl_watch watch, ccurl_time time) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, client);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, client);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, time);
}

/* Returns the next transfer that has ended, and its result; NULL if there is none. */
static inline CURL *ccurl_multi_next_ended(CURLM *multi, CURLcode *code) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)))
        if (message->msg == CURLMSG_DONE) {
            *code = message->data.result;
            return message->easy_handle;
        }
    return NULL;
}

/* Gives the bytes of an upload. */
typedef size_t (*ccurl_give)(char *buffer, size_t size, size_t count, void *source);

static inline CURLcode ccurl_set_upload(CURL *easy, ccurl_give give, void *source, int64_t bytes) {
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, give);
    curl_easy_setopt(easy, CURLOPT_READDATA, source);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)bytes);
    return curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
}

/* curl keeps a pointer to the list: it must outlive the transfer. */
static inline CURLcode ccurl_set_recipients(CURL *easy, struct curl_slist *list) {
    return curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, list);
}

/* Returns something else than 0 to end the transfer; called about once a second. */
typedef int (*ccurl_progress)(
    void *context, curl_off_t to_download, curl_off_t downloaded, curl_off_t to_upload, curl_off_t uploaded);

static inline void ccurl_set_progress(CURL *easy, ccurl_progress progress, void *context) {
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}
