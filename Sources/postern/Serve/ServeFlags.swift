import GatewayCore
import GatewayKit
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

  /// The flags whose files are read once, at the start; those of the certificate are read anew apart from the keys.
  private static let filesOfStart: Set<String> = [
    "wire", "identity-ca", "identity-certificate", "identity-key", "tls-certificate", "tls-key", "store-password-file",
    "store-ca", "store-certificate",
    "store-key",
  ]

  /// Returns the given flags and variables whose files of keys, secrets and passwords are read anew, each once.
  static func keyFiles(_ arguments: Arguments) -> [String] {
    all.filter { $0.file != nil && !filesOfStart.contains($0.name) }.flatMap { arguments.sources(of: $0) }
      .reduce(into: []) { sources, source in if !sources.contains(source) { sources.append(source) } }
  }

  /// The flags that are neither keys nor a vendor's.
  static let options =
    address + session + limits + provider + IdentityDraft.options.map { $0.of(\.identity) } + process
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
      "control-secret-file", "FILE", "the control port's bearer secret; required off loopback",
      \.controlSecret, .secret)
    Option(
      "control-allowed-host", "HOST",
      "a name that the control port may be asked for by, beside its address, where it has no secret",
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
      "an origin browsers may come from (default: all; but none to a token provider without a secret)",
      repeats: true
    ) { value, draft in
      draft.configuration.allowedOrigins = (draft.configuration.allowedOrigins ?? []).union([
        try AllowedOrigin.read(value)
      ])
    }
    Option(
      "tls-certificate", "FILE", "the certificate chain, PEM; read anew on SIGHUP", \.tls.certificate, .asGiven)
    Option("tls-key", "FILE", "the certificate's private key, PEM", \.tls.key, .asGiven)
    Option(
      "trusted-proxy", "ADDRESS",
      "an address or network (10.0.0.0/8) whose X-Forwarded-For and Forwarded say the client's address",
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
      "those proxies begin each connection with the PROXY protocol, version 1 or 2",
      \.speaksProxyProtocol)
    Option(
      "wire", "FILE|NAME",
      "a wire played beside the dialects: a file (its path has a / or a .), or a name of postern wire list; its tokens are the plain scheme's"
    ) { value, draft in draft.wire = try WireFile.read(value) }
    templateSecret
    Option(
      "echo", "answer every message on /echo with itself, without authentication",
      \.configuration.offersEcho)
  }

  static let templateSecret = Option<ServeDraft>(
    "template-secret", "NAME=FILE", "what stands for {{secret.NAME}} in --wire", each: \.templateSecrets)

  @OptionList<ServeDraft>
  private static var session: [Option<ServeDraft>] {
    Option(
      "login-timeout", "DURATION", "how long an unauthenticated socket may stay (default 10s)",
      \.loginTimeout, .duration)
    Option(
      "refresh-timeout", "DURATION",
      "how long a client may take to refresh, 60s to 1800s (default 60s)", \.refreshTimeout,
      .duration)
    Option(
      "any-refresh-timeout", "accept a refresh timeout outside 60s to 1800s, for tests",
      \.takesAnyRefreshTimeout)
    Option(
      "refresh-lead", "DURATION", "how long before expiry the gateway asks (default 0s)",
      \.refreshLead, .duration)
    Option(
      "refresh-spread", "DURATION",
      "the window ahead of that, over which requests are spread (default 0s)", \.refreshSpread,
      .duration)
    Option(
      "revocation", "refresh|close",
      "what happens to live sessions of a revoked token (default refresh)", \.revocation, .choice)
    Option(
      "ping-interval", "DURATION",
      "how long a peer may be silent before a ping, 0 for never (default 30s)",
      \.configuration.pingInterval, .durationOrNone)
    Option(
      "pong-timeout", "DURATION", "how long it may stay silent after it (default 10s)",
      \.configuration.pongTimeout, .duration)
    Option(
      "drain-window", "DURATION",
      "the window that closes are spread over on SIGTERM; HTTP requests then have 10s for their answers (default 5s)",
      \.drainWindow, .duration)
  }

  @OptionList<ServeDraft>
  private static var limits: [Option<ServeDraft>] {
    Option(
      "connections-max", "N",
      "open connections; as many descriptors are asked of the system (default 50000)",
      \.connectionsMax, .int(1...10_000_000))
    Option(
      "connection-rate", "N", "accepted connections per second (default: no limit)",
      \.limits.connectionsPerSecond, .number(0.1...1_000_000))
    Option(
      "message-bytes-max", "N", "bytes of one message (default 65536)", \.limits.messageBytesMax,
      .int(125...(64 << 20)))
    Option(
      "body-bytes-max", "N", "bytes of one HTTP body (default 65536)", \.limits.bodyBytesMax,
      .int(0...(64 << 20)))
    Option(
      "header-bytes-max", "N", "bytes of one request head (default 8192)", \.limits.headerBytesMax,
      .int(1024...32_000))
    Option(
      "revocations-max", "N",
      "revoked tokens, and users, that are remembered; more are refused (default 1000000)",
      \.configuration.revocationsMax, .int(1...10_000_000))
    Option(
      "outbound-bytes-max", "N", "bytes that may wait for one slow reader (default 262144)",
      \.limits.outboundBytesMax, .int(1024...(1 << 30)))
  }

  @OptionList<ServeDraft>
  private static var provider: [Option<ServeDraft>] {
    Option(
      "provider-latency", "DURATION",
      "how long the token provider takes for one token (default 0s)", \.providerLatency, .duration)
    Option(
      "provider-concurrency", "N", "how many tokens it makes at once (default: any number)",
      \.providerConcurrency, .int(1...1_000_000))
    Option(
      "provider-queue-max", "N", "how many requests may wait for it (default 100000)",
      \.providerQueueMax, .int(0...10_000_000))
    Option(
      "provider-abandoned", "serve|drop",
      "what becomes of requests whose callers have gone while they waited: they take their turn, or none (default serve)",
      \.providerAbandoned, .choice)
    Option(
      "provider-budget", "BUDGET",
      "a limit on its requests by user, address or all, as user=30/60s, or address=2000/60s,ban=500/60s:15m; "
        + "Docs/budgets.md has all of it", repeats: true
    ) { value, draft in
      do {
        draft.providerBudgets.append(try BudgetText.parse(value.text))
      } catch {
        throw UsageError("\(value.source): \(error)")
      }
    }
    Option(
      "provider-rotation", "ROTATION",
      "refresh tokens that are used once: strict, or as grace=30s,replay=same,revokes=family (default: none); "
        + "Docs/rotation.md has all of it"
    ) { value, draft in
      do {
        draft.providerRotation = try RotationText.parse(value.text)
      } catch {
        throw UsageError("\(value.source): \(error)")
      }
    }
    Option(
      "provider-replies-lost", "SHARE",
      "the share of its tokens that it makes and never sends (default 0)", \.providerRepliesLost, .share)
    Option(
      "provider-failure-rate", "SHARE", "the share of its requests that fail (default 0)",
      \.providerFailureRate, .share)
    Option(
      "provider-secret-file", "FILE",
      "what its callers must send as a bearer token; required off loopback", \.providerSecret,
      Reading<String>.secret.map { secret, _ in Credentials(token: secret) })
    Option(
      "token-life", "DURATION",
      "how long the provider's tokens live unless the request says (default 1h)", \.tokenLife,
      .duration)
  }

  @OptionList<ServeDraft>
  private static var process: [Option<ServeDraft>] {
    Option(
      "log-level", "error|warning|info|debug", "how much stands on standard error (default info)",
      \.logLevel, .choice)
    Option(
      "log-format", "text|json", "name=value, or a JSON object a line (default text)", \.logFormat,
      .choice)
    Option(
      "store", "memory|sqlite:FILE|redis://HOST",
      "where users, tokens, sessions, calls, channels and revocations are kept: in memory, in a file that outlives "
        + "the process, or on a Redis server, rediss:// with TLS (default memory)"
    ) { value, draft in
      guard let store = StoreChoice(value.text) else {
        throw UsageError(
          value.source, value: value.text,
          expected: "memory, sqlite: and the path of a file, or rediss:// and a host, without a password")
      }
      draft.store = store
    }
    Option(
      "store-set-damaged-aside",
      "move rows of the store that cannot be read to its table (in Redis hash) damaged, and go on without them (default: do not start)",
      \.setsDamagedAside)
    Option(
      "node-name", "NAME",
      "the name of this process among several that share --store, each with a name of its own (default: it has the store "
        + "for itself)"
    ) { value, draft in
      guard isNodeName(value.text) else {
        throw UsageError(value.source, value: value.text, expected: "1 to 64 letters, digits, dots, _ or -")
      }
      draft.nodeName = value.text
    }
    Option(
      "spaces", "let the control port make gateways of their own, each with a port and a clock, for one test each",
      \.hostsSpaces)
    SpacesDraft.options.map { $0.of(\ServeDraft.spaces) }
    Option("journal", "keep what happens, to be read below /journal on the control port; on one loop", \.keepsJournal)
    Option(
      "journal-payloads", "keep it with what messages say, whose secrets nobody is shown", \.keepsPayloads)
    Option(
      "faults", "let the control port have the gateway fail on purpose; with --journal, on one loop", \.takesFaults)
    Option(
      "loops", "N", "event loops, one thread each (default: one per core; with --spaces, --journal or --faults one)",
      \.loops,
      .int(1...256))
    Option(
      "end-with-input",
      "drain and end, as on SIGTERM, when standard input ends: with whoever has started it, a test's process for instance",
      \.endsWithInput)
    Option(
      "seed", "N", "the seed of all chance (default: from the system)", \.seed,
      Reading<Int>.int(0 ... .max).map { seed, _ in UInt64(seed) })
  }
}
