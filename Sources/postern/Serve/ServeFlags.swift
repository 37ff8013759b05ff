import GatewayCore
import GatewayKit
import GatewayRedis
import GatewayRuntime
import GatewayServer
import GatewayStores

/// The flags of `postern serve`.
enum ServeFlags {
  static let sections =
    [
      FlagSection("where it listens", address.map(\.flag)),
      FlagSection("keys of tokens", TokenKeys.flags + TokenKeys.policyFlags),
      FlagSection("the application's own login", IdentityDraft.options.map(\.flag)),
      FlagSection("traces", TracesDraft.options.map(\.flag)),
      FlagSection("sessions", session.map(\.flag)),
      FlagSection("limits", limits.map(\.flag)),
      FlagSection("the token provider", provider.map(\.flag)),
    ] + Vendors.sections { $0.flags } + [FlagSection("the process", (process + RedisFlags.options).map(\.flag))]

  static let all = sections.flatMap(\.flags)

  /// Returns whether that may be the name of a node.
  private static func isNodeName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || ".-_".utf8.contains($0)
      }
  }

  /// The flags whose files are read once, at the start. The certificate's files are read again apart from the keys.
  private static let filesOfStart: Set<String> = [
    "wire", "identity-ca", "identity-certificate", "identity-key", "tls-certificate", "tls-key", "store-password-file",
    "store-ca", "store-certificate",
    "store-key",
  ]

  /// Returns the given flags and variables whose files of keys, secrets and passwords are read again, each once.
  static func keyFiles(_ arguments: Arguments) -> [String] {
    all.filter { $0.file != nil && !filesOfStart.contains($0.name) }.flatMap { arguments.sources(of: $0) }
      .reduce(into: []) { sources, source in if !sources.contains(source) { sources.append(source) } }
  }

  /// The flags that are neither keys nor a vendor's.
  static let options =
    address + session + limits + provider + IdentityDraft.options.map { $0.of(\.identity) }
    + TracesDraft.options.map { $0.of(\.traces) } + process
    + RedisFlags.options

  @OptionList<ServeDraft>
  private static var address: [Option<ServeDraft>] {
    Option(
      "host", "ADDRESS", "an address to listen on (default 127.0.0.1, and ::1 where there is IPv6)",
      repeats: true
    ) { value, draft in draft.hosts.append(value.text) }
    Option(
      "port", "N", "the gateway's port, 0 for a free one (default 8080)", \.port, .int(0...65535))
    Option(
      "control-host", "ADDRESS", "the control port's address (default 127.0.0.1)", \.controlHost,
      .text)
    Option(
      "control-port", "N", "the control port, 0 for a free one (default 8081)", \.controlPort,
      .int(0...65535))
    Option(
      "control-secret-file", "FILE",
      "the file with the control port's bearer secret; required if that port is not on loopback",
      \.controlSecret, .secret)
    Option(
      "control-allowed-host", "HOST",
      "a host name, besides its address, by which clients may reach a control port without a secret",
      repeats: true
    ) { value, draft in
      guard Authority(value.text.contains(":") ? "[\(value.text)]" : value.text) != nil else {
        throw UsageError(
          value.source, value: value.text, expected: "a host's name or address, without a port")
      }
      draft.controlAllowedHosts.append(value.text)
    }
    Option(
      "origin", "ORIGIN",
      "a web origin that browsers may connect from (default: all, but none to a token provider without a secret)",
      repeats: true
    ) { value, draft in
      draft.configuration.allowedOrigins = (draft.configuration.allowedOrigins ?? []).union([
        try AllowedOrigin.read(value)
      ])
    }
    Option(
      "tls-certificate", "FILE", "the gateway's certificate chain, PEM; SIGHUP reads it again", \.tls.certificate,
      .asGiven)
    Option("tls-key", "FILE", "the private key of --tls-certificate, PEM", \.tls.key, .asGiven)
    Option(
      "trusted-proxy", "ADDRESS",
      "the address or network of a proxy, e.g. 10.0.0.0/8, whose X-Forwarded-For and Forwarded give the client's address",
      repeats: true
    ) { value, draft in
      guard let network = IPNetwork(value.text) else {
        throw UsageError(
          value.source, value: value.text,
          expected: "an address as 10.0.0.7, or a network as 10.0.0.0/8")
      }
      draft.proxies.append(network)
    }
    Option(
      "proxy-protocol",
      "expect the PROXY protocol, version 1 or 2, on each connection of a --trusted-proxy",
      \.speaksProxyProtocol)
    Option(
      "wire", "FILE|NAME",
      "a wire that the gateway serves besides the dialects: a file (its path has a / or a .), or a name of postern wire list; its tokens are the plain scheme's"
    ) { value, draft in draft.wire = try WireFile.read(value) }
    templateSecret
    Option(
      "echo", "serve /echo, which returns each message to its sender, without authentication",
      \.configuration.offersEcho)
  }

  static let templateSecret = Option<ServeDraft>(
    "template-secret", "NAME=FILE", "the file with the value of {{secret.NAME}} in --wire", each: \.templateSecrets)

  @OptionList<ServeDraft>
  private static var session: [Option<ServeDraft>] {
    Option(
      "login-timeout", "DURATION", "how long a socket may stay open without a login (default 10s)",
      \.loginTimeout, .duration)
    Option(
      "refresh-timeout", "DURATION",
      "how long a client may take to answer a refresh request, 60s to 1800s (default 60s)", \.refreshTimeout,
      .duration)
    Option(
      "any-refresh-timeout", "accept a --refresh-timeout outside 60s to 1800s, for tests",
      \.takesAnyRefreshTimeout)
    Option(
      "refresh-lead", "DURATION", "how long before expiry the gateway asks a client for a new token (default 0s)",
      \.refreshLead, .duration)
    Option(
      "refresh-spread", "DURATION",
      "the window before --refresh-lead over which refresh requests are spread (default 0s)", \.refreshSpread,
      .duration)
    Option(
      "revocation", "refresh|close",
      "what the gateway does to connected sessions of a revoked token (default refresh)", \.revocation, .choice)
    Option(
      "ping-interval", "DURATION",
      "how long a client may be silent before the gateway pings it, 0 for never (default 30s)",
      \.configuration.pingInterval, .durationOrNone)
    Option(
      "pong-timeout", "DURATION", "how long a client may stay silent after a ping (default 10s)",
      \.configuration.pongTimeout, .duration)
    Option(
      "drain-window", "DURATION",
      "the window over which SIGTERM spreads the closes; HTTP requests then have 10s to finish (default 5s)",
      \.drainWindow, .duration)
  }

  @OptionList<ServeDraft>
  private static var limits: [Option<ServeDraft>] {
    Option(
      "connections-max", "N",
      "the most open connections; the gateway asks the system for as many descriptors (default 50000)",
      \.connectionsMax, .int(1...10_000_000))
    Option(
      "connection-rate", "N", "the most accepted connections per second (default: no limit)",
      \.limits.connectionsPerSecond, .number(0.1...1_000_000))
    Option(
      "message-bytes-max", "N", "the largest message, in bytes (default 65536)", \.limits.messageBytesMax,
      .int(125...(64 << 20)))
    Option(
      "body-bytes-max", "N", "the largest body of an HTTP request, in bytes (default 65536)", \.limits.bodyBytesMax,
      .int(0...(64 << 20)))
    Option(
      "header-bytes-max", "N", "the largest head of an HTTP request, in bytes (default 8192)", \.limits.headerBytesMax,
      .int(1024...32_000))
    Option(
      "revocations-max", "N",
      "the most revoked tokens and users that are remembered; further revocations are rejected (default 1000000)",
      \.configuration.revocationsMax, .int(1...10_000_000))
    Option(
      "outbound-bytes-max", "N", "the most bytes that may wait for one slow client (default 262144)",
      \.limits.outboundBytesMax, .int(1024...(1 << 30)))
  }

  @OptionList<ServeDraft>
  private static var provider: [Option<ServeDraft>] {
    Option(
      "provider-latency", "DURATION",
      "how long the token provider takes for one token (default 0s)", \.providerLatency, .duration)
    Option(
      "provider-concurrency", "N", "how many tokens the token provider makes at once (default: no limit)",
      \.providerConcurrency, .int(1...1_000_000))
    Option(
      "provider-queue-max", "N", "how many requests may wait for the token provider (default 100000)",
      \.providerQueueMax, .int(0...10_000_000))
    Option(
      "provider-abandoned", "serve|drop",
      "whether the token provider serves or drops a waiting request whose caller has disconnected (default serve)",
      \.providerAbandoned, .choice)
    Option(
      "provider-budget", "BUDGET",
      "a rate limit of the token provider, by user, address or all, e.g. user=30/60s or address=2000/60s,ban=500/60s:15m; "
        + "Docs/budgets.md explains it", repeats: true
    ) { value, draft in
      do {
        draft.providerBudgets.append(try BudgetText.parse(value.text))
      } catch {
        throw UsageError("\(value.source): \(error)")
      }
    }
    Option(
      "provider-rotation", "ROTATION",
      "single-use refresh tokens of the token provider: strict, or e.g. grace=30s,replay=same,revokes=family (default: none); "
        + "Docs/rotation.md explains it"
    ) { value, draft in
      do {
        draft.providerRotation = try RotationText.parse(value.text)
      } catch {
        throw UsageError("\(value.source): \(error)")
      }
    }
    Option(
      "provider-replies-lost", "SHARE",
      "the share of tokens that the token provider makes and never sends (default 0)", \.providerRepliesLost, .share)
    Option(
      "provider-failure-rate", "SHARE", "the share of requests that fail at the token provider (default 0)",
      \.providerFailureRate, .share)
    Option(
      "provider-secret-file", "FILE",
      "the file with the bearer token that callers of the token provider must send; required if the gateway is not on loopback",
      \.providerSecret,
      Reading<String>.secret.map { secret, _ in Credentials(token: secret) })
    Option(
      "token-life", "DURATION",
      "how long tokens of the token provider are valid if the request does not say (default 1h)", \.tokenLife,
      .duration)
  }

  @OptionList<ServeDraft>
  private static var process: [Option<ServeDraft>] {
    Option(
      "log-level", "error|warning|info|debug", "the least severe level of log lines on standard error (default info)",
      \.logLevel, .choice)
    Option(
      "log-format", "text|json", "the form of log lines: name=value, or one JSON object a line (default text)",
      \.logFormat,
      .choice)
    Option(
      "store", "memory|sqlite:FILE|redis://HOST",
      "where users, tokens, sessions, calls, channels and revocations are kept: in memory, in a file that survives "
        + "a restart, or on a Redis server, rediss:// with TLS, or rediss+sentinel://HOST,HOST/NAME: the primary that "
        + "Redis Sentinel names (default memory)"
    ) { value, draft in
      guard let store = StoreChoice(value.text) else {
        throw UsageError(
          value.source, value: value.text,
          expected: "memory, sqlite: and the path of a file, rediss:// and a host, or rediss+sentinel:// and up to "
            + "\(RedisSentinels.countMax) hosts, a slash and the primary's name; without a password")
      }
      draft.store = store
    }
    Option(
      "store-set-damaged-aside",
      "move unreadable rows of the store to its table damaged (in Redis a hash) and start without them (default: do not start)",
      \.setsDamagedAside)
    Option(
      "node-name", "NAME",
      "this process's name if several share --store; each needs a name of its own (default: the process has the store "
        + "for itself)"
    ) { value, draft in
      guard isNodeName(value.text) else {
        throw UsageError(value.source, value: value.text, expected: "1 to 64 letters, digits, dots, _ or -")
      }
      draft.nodeName = value.text
    }
    Option(
      "spaces",
      "let the control port create further gateways, each with a port and a clock of its own, one for each test",
      \.hostsSpaces)
    SpacesDraft.options.map { $0.of(\ServeDraft.spaces) }
    Option(
      "journal",
      "keep a journal of events, which the control port serves below /journal; the gateway then has one loop",
      \.keepsJournal)
    Option(
      "journal-payloads", "keep messages in the journal too; their secrets are hidden", \.keepsPayloads)
    Option(
      "faults", "accept orders for faults on the control port; the gateway then has one loop", \.takesFaults)
    Option(
      "loops", "N",
      "event loops, one thread each (default: one for each core; one with --spaces, --journal or --faults)",
      \.loops,
      .int(1...256))
    Option(
      "end-with-input",
      "drain and end when standard input ends, as on SIGTERM, e.g. with the test that started the gateway",
      \.endsWithInput)
    Option(
      "seed", "N", "the seed of all random numbers (default: from the system)", \.seed,
      Reading<Int>.int(0 ... .max).map { seed, _ in UInt64(seed) })
  }
}
