import GatewayKit

/// The flags of `postern serve`.
enum ServeFlags {
  static let sections =
    [
      FlagSection("where it listens", address),
      FlagSection("keys of tokens", TokenKeys.flags + TokenKeys.policyFlags),
      FlagSection("sessions", session),
      FlagSection("limits", limits),
      FlagSection("the token provider", provider),
    ] + Vendors.sections { $0.flags } + [FlagSection("the process", process)]

  static let all = sections.flatMap(\.flags)

  private static let address = [
    Flag("host", "ADDRESS", "an address to listen on (default 127.0.0.1, and ::1 where there is IPv6)", repeats: true),
    Flag("port", "N", "the gateway's port, 0 for a free one (default 8080)"),
    Flag("control-host", "ADDRESS", "the control port's address (default 127.0.0.1)"),
    Flag("control-port", "N", "the control port, 0 for a free one (default 8081)"),
    Flag("control-secret-file", "FILE", "the control port's bearer secret; required off loopback"),
    Flag(
      "control-allowed-host", "HOST",
      "a name that the control port may be asked for by, beside its address, where it has no secret", repeats: true),
    Flag(
      "origin", "ORIGIN",
      "an origin browsers may come from (default: all; but none to a token provider without a secret)", repeats: true),
    Flag("tls-certificate", "FILE", "the certificate chain, PEM; read anew on SIGHUP"),
    Flag("tls-key", "FILE", "the certificate's private key, PEM"),
    Flag(
      "trusted-proxy", "ADDRESS",
      "an address or network (10.0.0.0/8) whose X-Forwarded-For and Forwarded say the client's address", repeats: true),
    Flag("proxy-protocol", nil, "those proxies begin each connection with the PROXY protocol, version 1 or 2"),
    Flag("echo", nil, "answer every message on /echo with itself, without authentication"),
  ]

  private static let session = [
    Flag("login-timeout", "DURATION", "how long an unauthenticated socket may stay (default 10s)"),
    Flag("refresh-timeout", "DURATION", "how long a client may take to refresh, 60s to 1800s (default 60s)"),
    Flag("any-refresh-timeout", nil, "accept a refresh time-out outside 60s to 1800s, for tests"),
    Flag("refresh-lead", "DURATION", "how long before expiry the gateway asks (default 0s)"),
    Flag("refresh-spread", "DURATION", "the window ahead of that, over which requests are spread (default 0s)"),
    Flag("revocation", "refresh|close", "what happens to live sessions of a revoked token (default refresh)"),
    Flag("ping-interval", "DURATION", "how long a peer may be silent before a ping, 0 for never (default 30s)"),
    Flag("pong-timeout", "DURATION", "how long it may stay silent after it (default 10s)"),
    Flag(
      "drain-window", "DURATION",
      "the window that closes are spread over on SIGTERM; HTTP requests then have 10s for their answers (default 5s)"),
  ]

  private static let limits = [
    Flag("connections-max", "N", "open connections; as many descriptors are asked of the system (default 50000)"),
    Flag("connection-rate", "N", "accepted connections per second (default: no limit)"),
    Flag("message-bytes-max", "N", "bytes of one message (default 65536)"),
    Flag("body-bytes-max", "N", "bytes of one HTTP body (default 65536)"),
    Flag("header-bytes-max", "N", "bytes of one request head (default 8192)"),
    Flag("revocations-max", "N", "revoked tokens, and users, that are remembered; more are refused (default 1000000)"),
    Flag("outbound-bytes-max", "N", "bytes that may wait for one slow reader (default 262144)"),
  ]

  private static let provider = [
    Flag("provider-latency", "DURATION", "how long the token provider takes for one token (default 0s)"),
    Flag("provider-concurrency", "N", "how many tokens it makes at once (default: any number)"),
    Flag("provider-queue-max", "N", "how many requests may wait for it (default 100000)"),
    Flag("provider-failure-rate", "SHARE", "the share of its requests that fail (default 0)"),
    Flag("provider-secret-file", "FILE", "what its callers must send as a bearer token; required off loopback"),
    Flag("token-life", "DURATION", "how long the provider's tokens live unless the request says (default 1h)"),
  ]

  private static let process = [
    Flag("log-level", "error|warning|info|debug", "how much stands on standard error (default info)"),
    Flag("log-format", "text|json", "name=value, or a JSON object a line (default text)"),
    Flag(
      "store", "memory|sqlite:FILE",
      "where users, tokens, sessions, calls, channels and revocations are kept: in memory, or in a file that outlives "
        + "the process (default memory)"),
    Flag("loops", "N", "event loops, one thread each (default: one per core)"),
    Flag("seed", "N", "the seed of all chance (default: from the system)"),
  ]
}
