/* The C libraries of Sekisho in one module. _GNU_SOURCE is not defined, because the headers of glibc must declare the
   same as in Swift's Glibc module; otherwise the compiler reports conflicting definitions. Static inline functions
   replace what Swift cannot import: variadic functions and macros. */
#pragma once

#include <arpa/inet.h>
#include <crypt.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <postgresql/libpq-fe.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <spawn.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static inline int shim_errno(void) { return errno; }

static inline int shim_epoll_ctl(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event;
    event.events = events;
    event.data.u64 = token;
    return epoll_ctl(epoll, operation, descriptor, &event);
}

/* On Linux, PRIO_PROCESS with 0 means the calling thread. */
static inline int shim_thread_niceness(void) { return getpriority(PRIO_PROCESS, 0); }
/* Adds to the niceness that the calling thread has inherited. */
static inline int shim_nice_thread(int increment) {
    return setpriority(PRIO_PROCESS, 0, shim_thread_niceness() + increment);
}

/* The kernel limits names to 15 characters. */
extern int pthread_setname_np(pthread_t, const char *);
static inline void shim_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

/* Hidden unless _GNU_SOURCE is defined. */
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern long syscall(long number, ...);

/* PostgreSQL */
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <sys/file.h>
/* Hidden unless _GNU_SOURCE is defined. */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
/* open is variadic. */
static inline int shim_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
/* LC_ALL_MASK is a macro of casts and shifts. */
static inline int shim_has_locale(const char *name) {
    locale_t locale = newlocale(LC_ALL_MASK, name, (locale_t)0);
    if (!locale) return 0;
    freelocale(locale);
    return 1;
}
/* WIFEXITED and related macros are function-like. Returns -1 if a signal ended the process. */
static inline int shim_exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
/* Character macros, which Swift does not import as the int that libpq requires. */
static const int shim_diag_sqlstate = PG_DIAG_SQLSTATE;
static const int shim_diag_message = PG_DIAG_MESSAGE_PRIMARY;
static const int shim_diag_constraint = PG_DIAG_CONSTRAINT_NAME;
static const int shim_diag_function = PG_DIAG_SOURCE_FUNCTION;
/* OpenSSL. Key generation is two variadic macros. */
static inline EVP_PKEY *shim_generate_p256(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *shim_generate_rsa(unsigned bits) { return EVP_RSA_gen(bits); }

/* Parameter lists contain pointers to names and values. Swift does not guarantee that these pointers stay valid. */
static inline EVP_PKEY *shim_public_key(const char *type, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (context && (EVP_PKEY_fromdata_init(context) != 1
                    || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1))
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

static inline EVP_PKEY *shim_p256_public_key(const unsigned char *point, size_t length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"P-256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, length),
        OSSL_PARAM_construct_end(),
    };
    return shim_public_key("EC", parameters);
}

static inline EVP_PKEY *shim_rsa_public_key(const BIGNUM *n, const BIGNUM *e) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e)
        && (parameters = OSSL_PARAM_BLD_to_param(builder)))
        key = shim_public_key("RSA", parameters);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/* A macro around a control call; the BIO owns the memory. */
static inline long shim_bio_contents(BIO *bio, char **start) { return BIO_get_mem_data(bio, start); }
/* libcurl has variadic functions for options and for information. */
#if LIBCURL_VERSION_NUM < 0x075700
#error "libcurl 7.87 or later is required: in earlier versions, cancelling a name look-up blocks the caller"
#endif

static inline CURLcode shim_curl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

/* libcurl copies the text. */
static inline CURLcode shim_curl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}

/* Not copied: the fields must exist until the transfer has ended. */
static inline CURLcode shim_curl_set_fields(CURL *easy, struct curl_slist *fields) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
}

static inline CURLcode shim_curl_copy_body(CURL *easy, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, (const char *)bytes);
}

/* Both callbacks receive the context. */
static inline void shim_curl_set_callbacks(CURL *easy, void *context, curl_write_callback on_head,
                                           curl_write_callback on_body) {
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_head);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
}

static inline void shim_curl_set_socket_opener(CURL *easy, void *context, curl_opensocket_callback open_socket) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
}

static inline void shim_curl_set_id(CURL *easy, uintptr_t id) { curl_easy_setopt(easy, CURLOPT_PRIVATE, (char *)id); }

static inline uintptr_t shim_curl_id(CURL *easy) {
    char *id = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &id);
    return (uintptr_t)id;
}

/* Calls on_message for every message of the connection in either direction. */
static inline void shim_curl_observe(CURL *easy, void *context, curl_debug_callback on_message) {
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_message);
    curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

static inline void shim_curl_allow_cancellation(CURL *easy, void *context, curl_xferinfo_callback on_progress) {
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

/* Not copied: the list must exist until the transfer has ended. */
static inline CURLcode shim_curl_set_recipients(CURL *easy, struct curl_slist *recipients) {
    return curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, recipients);
}

/* The caller keeps ownership. */
static inline CURLcode shim_curl_set_mime(CURL *easy, curl_mime *mime) {
    return curl_easy_setopt(easy, CURLOPT_MIMEPOST, mime);
}

static inline long shim_curl_status(CURL *easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* The address may be longer than its declared type. */
static inline const struct sockaddr *shim_curl_address(const struct curl_sockaddr *address) { return &address->addr; }

static inline void shim_curl_limit_connections(CURLM *multi, long total, long per_host, long idle) {
    curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, total);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, per_host);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, idle);
}

static inline void shim_curl_set_multi_callbacks(CURLM *multi, void *context, curl_socket_callback on_socket,
                                                 curl_multi_timer_callback on_timer) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
}
