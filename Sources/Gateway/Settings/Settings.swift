internal import Passwords

/// The settings of the program, which are environment variables. They are read once, at start.
package enum Settings {
    static let databaseURL = Setting(
        name: "DATABASE_URL", fallback: nil,
        meaning: "the PostgreSQL database, such as postgresql://user:password@host/name", isSecret: true)
    static let databaseConnections = Setting(
        name: "SEKISHO_DATABASE_CONNECTIONS", fallback: nil,
        meaning:
            "the maximum number of database connections of this process, at least one per event loop, at most 1000 (default: 5 per event loop, but at most 40, and at most half of the connections that PostgreSQL allows)"
    )
    static let outage = Setting(
        name: "SEKISHO_OUTAGE_SECONDS", fallback: "600",
        meaning:
            "how long, in seconds, public keys, discovery documents, login methods and pages are served from the last loaded configuration while PostgreSQL is unavailable, 0 to 600"
    )
    static let databasePrepared = Setting(
        name: "SEKISHO_DATABASE_PREPARED", fallback: "on",
        meaning:
            "whether statements are prepared: on, shared or off. Must be shared behind a connection pooler in transaction mode, or off if the pooler does not accept named statements"
    )
    static let databaseStartupOptions = Setting(
        name: "SEKISHO_DATABASE_STARTUP_OPTIONS", fallback: "on",
        meaning:
            "whether database sessions start with settings of the planner and with statement_timeout: on or off. Must be off behind a connection pooler in transaction mode, which then sets them itself"
    )
    static let masterKey = Setting(
        name: "SEKISHO_MASTER_KEY", fallback: nil,
        meaning:
            "32 bytes in base64, the key that encrypts every secret in the database (sekisho keys generate-master-key prints one)",
        isSecret: true)
    static let previousMasterKey = Setting(
        name: "SEKISHO_MASTER_KEY_PREVIOUS", fallback: nil,
        meaning: "the previous master key, until sekisho keys rewrap has run", isSecret: true)
    package static let publicURL = Setting(
        name: "SEKISHO_PUBLIC_URL", fallback: nil,
        meaning:
            "the URL of the gateway for clients, such as https://auth.example.com; the issuer of tokens begins with it")
    static let listen = Setting(
        name: "SEKISHO_LISTEN", fallback: "0.0.0.0:8080", meaning: "numeric address and port to listen on")
    static let operationsListen = Setting(
        name: "SEKISHO_OPERATIONS_LISTEN", fallback: nil,
        meaning:
            "numeric address and port that serve /healthz, /readyz and /metrics, such as 127.0.0.1:9090; if it is set, SEKISHO_LISTEN does not serve them"
    )
    static let loops = Setting(
        name: "SEKISHO_LOOPS", fallback: nil, meaning: "event loops, 1 to 256 (default: one per core)")
    static let trustedProxies = Setting(
        name: "SEKISHO_TRUSTED_PROXIES", fallback: "",
        meaning:
            "comma-separated networks of proxies, such as 10.0.0.0/8,fd00::/8; the proxies must overwrite X-Forwarded-Host and X-Forwarded-Proto, and append to X-Forwarded-For or overwrite it"
    )
    static let passwordThreads = Setting(
        name: "SEKISHO_PASSWORD_THREADS", fallback: nil,
        meaning: "threads that hash passwords, 1 to 256 (default: one per core)")
    static let passwordMemory = Setting(
        name: "SEKISHO_PASSWORD_MEMORY_KIB", fallback: "19456",
        meaning: "memory of one Argon2id hash in KiB, 7168 to 1048576")
    static let passwordIterations = Setting(
        name: "SEKISHO_PASSWORD_ITERATIONS", fallback: "2", meaning: "Argon2id passes over the memory, 1 to 16")
    static let passwordWaiting = Setting(
        name: "SEKISHO_PASSWORD_WAITING", fallback: "64",
        meaning: "maximum number of passwords that wait for a thread, 2 to 10000; requests beyond it get status 503")
    static let breachedPasswords = Setting(
        name: "SEKISHO_BREACHED_PASSWORDS_URL", fallback: BreachedPasswordList.publicURL,
        meaning:
            "the URL of the list of breached passwords, to which the gateway appends the first five hex digits of a password's SHA-1; an empty value disables the check",
        acceptsEmpty: true, isSecret: true)
    static let appleDomainAssociation = Setting(
        name: "SEKISHO_APPLE_DOMAIN_ASSOCIATION", fallback: nil,
        meaning:
            "the content of apple-developer-domain-association.txt, by which Apple verifies this host; or set SEKISHO_APPLE_DOMAIN_ASSOCIATION_FILE to the path of that file"
    )
    static let logLevel = Setting(name: "SEKISHO_LOG_LEVEL", fallback: "info", meaning: "debug, info, warning or error")
    static let drainDelay = Setting(
        name: "SEKISHO_DRAIN_DELAY_SECONDS", fallback: "5",
        meaning:
            "time in seconds after SIGTERM in which the gateway still accepts requests but tells load balancers and clients to leave, 0 to 300"
    )
    static let drain = Setting(
        name: "SEKISHO_DRAIN_SECONDS", fallback: "10",
        meaning:
            "maximum time in seconds, after SEKISHO_DRAIN_DELAY_SECONDS, for running requests and email deliveries to finish, 0 to 300"
    )

    package static let hashKey = Setting(
        name: "SEKISHO_HASH_KEY", fallback: nil,
        meaning: "the base64 key of imported password hashes, only for sekisho users import", isSecret: true)

    static let all =
        [
            databaseURL, databaseConnections, databaseStartupOptions, databasePrepared, outage, masterKey,
            previousMasterKey, publicURL, listen, operationsListen, loops, trustedProxies, passwordThreads,
            passwordMemory, passwordIterations, passwordWaiting, breachedPasswords, appleDomainAssociation, logLevel,
            drainDelay, drain,
        ] + server + email + console + [hashKey]
}
