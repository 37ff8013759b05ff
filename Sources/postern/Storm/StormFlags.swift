import GatewayKit

/// The flags of `postern storm`.
enum StormFlags {
  static let sections = [
    FlagSection("addresses", addresses),
    FlagSection("what the clients speak", dialect),
    FlagSection("the fleet", fleet),
    FlagSection("when tokens expire", expiry),
    FlagSection("what clients do", clients),
    FlagSection("the storm's own machinery", machinery),
    FlagSection("what comes of it", outcome),
    FlagSection("clients that mint", minting),
  ]

  /// The flags for a storm of one client that shows its messages.
  static let ofOneClient = sections.map { section in
    FlagSection(
      titlesOfOneClient[section.title] ?? section.title, section.flags.filter { !fleetOnly.contains($0.name) })
  }.filter { !$0.flags.isEmpty }

  private static let titlesOfOneClient = [
    "the fleet": "the client", "what clients do": "its patience", "when tokens expire": "when its token expires",
    "the storm's own machinery": "how it is played", "clients that mint": "tokens that it mints",
  ]

  private static let fleetOnly = Set([
    "provider-only", "control-url", "control-secret-file", "fault", "scenario", "dialect", "sdk", "api-key",
    "application", "clients", "rate", "ramp", "hold", "expiry", "jitter", "start-at", "waves", "reconnect",
    "slow-delay",
    "fetches", "fetch-rate", "sources", "processes", "worker", "worker-secret-file", "worker-ca", "worker-wait",
    "loops", "stop-when", "threshold",
    "report", "live", "json", "refresh-lead", "refresh-spread", "refresh-timeout",
  ])
  .union(ReportOutputs.flags.map(\.name))
  .union(Vendors.all.flatMap { $0.clients.flags + $0.clients.keyFlags }.map(\.name))

  private static let addresses = [
    Flag(
      "url", "URL",
      "the gateway, ws://host:port or wss://..., with a path if it is not the dialect's own; of several a client keeps to one",
      repeats: true),
    Flag("provider", "URL", "the token provider (default: the first gateway's own POST /v1/tokens)"),
    Flag(
      "tokens", "FILE|NAME",
      "how the token endpoint is asked: a file (its path has a / or a .), or a name of postern wire list --tokens; its paths are below --provider"
    ),
    Flag("template-secret", "NAME=FILE", "what stands for {{secret.NAME}} in a description", repeats: true),
    Flag("provider-only", nil, "storm the endpoint of --tokens alone: logins and renewals, without a gateway"),
    Flag("provider-secret-file", "FILE", "what the provider wants as a bearer token" + secrets),
    Flag(
      "control-url", "URL",
      "the gateway's control port: the storm goes by its settings, and reports its CPU and memory (of several, the sums)",
      repeats: true),
    Flag("control-secret-file", "FILE", "what the control port wants as a bearer token"),
    Flag(
      "fault", "JSON", "have the gateway fail so while the storm lasts, by --control-url (postern ctl faults --known)",
      repeats: true),
    Flag(
      "scenario", "FILE",
      "the fleet and what happens phase by phase: orders, faults, thresholds; postern simulate takes the same file; flags win"
    ),
    Flag("insecure", nil, "accept certificates that nobody the system trusts has signed"),
    Flag(
      "i-may-storm", "HOST",
      "a host that is not this machine, whose owners know of the storm (then, unless said: --rate 50, --fetches 50, --fetch-rate 50, --timeout 10m)",
      repeats: true),
    Flag("with-leave-of", "HOST", "one of a service that many share, whose owners have given leave", repeats: true),
  ]

  private static var secrets: String {
    Vendors.all.map { vendor in vendor.clients.providerSecret.map { "; for \(vendor.scheme) \($0)" } ?? "" }.joined()
  }

  private static let dialect =
    [Vendors.flag("dialect", "what the clients speak"), wire, sdk] + Vendors.all.flatMap { $0.clients.flags } + [
      application
    ]

  private static let wire = Flag(
    "wire", "FILE|NAME",
    "what the clients speak, in place of --dialect: a file (its path has a / or a .), or a name of postern wire list")

  private static var sdk: Flag {
    let vendors = Vendors.all.filter { !$0.clients.sdks.isEmpty }
    let names = vendors.flatMap { $0.clients.sdks }.reduce(into: [String]()) { names, name in
      if !names.contains(name) { names.append(name) }
    }
    let whose = vendors.map { "; \($0.scheme): \($0.clients.sdks.joined(separator: ", "))" }.joined()
    return Flag("sdk", names.joined(separator: "|"), "whose habits they have (default \(names.first ?? ""))\(whose)")
  }

  private static var application: Flag {
    let usual = Vendors.all.compactMap { vendor in
      vendor.clients.usualApplication.map { "\(vendor.scheme) (default \($0))" }
    }
    return Flag("application", "ID", "the application of \(usual.joined(separator: " or "))")
  }

  private static let fleet = [
    Flag("clients", "N", "how many clients (default 1000)"),
    Flag("rate", "N", "connections begun per second (default 500)"),
    Flag("ramp", "DURATION", "how long the rate takes to rise from 0 (default 0s)"),
    Flag("hold", "DURATION", "how long everybody is idle before the tokens expire (default 5s)"),
    Flag("behaviour", "MIX", "shares, as well-behaved=90,slow=4,forgetful=2,stale=2,garbage=1,refused=1"),
  ]

  private static let expiry = [
    Flag("expiry", "common|own", "whether the first tokens expire together or each by itself (default common)"),
    Flag("start-at", "UNIX_S", "when the first client connects, so that several storms keep step (default: at once)"),
    Flag("expire-after", "DURATION", "when they expire together, from the start (default: after ramp and hold)"),
    Flag("life", "DURATION", "the life of the tokens fetched later, and of the first if own (default 1h)"),
    Flag("jitter", "SHARE", "the share of the life that expiries are scattered over (default 0)"),
    Flag("waves", "N", "how often each client is to be refreshed (default 1)"),
    Flag(
      "refresh-lead", "DURATION",
      "the gateway's lead, to know when requests begin (default: what --control-url tells, else 0s)"),
    Flag("refresh-spread", "DURATION", "the gateway's spread, likewise"),
    Flag("refresh-timeout", "DURATION", "the gateway's timeout, likewise, to know when the storm is over (else 60s)"),
  ]

  private static let clients = [
    Flag("slow-delay", "DURATION", "how long a slow client waits before it asks the provider (default 3s)"),
    Flag("reconnect", nil, "clients whose connection ends come back with a new token, after waits with full jitter"),
    Flag(
      "fetches", "N",
      "requests to the provider at once, in each process (default 1000, fewer where the limit of descriptors is low)"),
    Flag("fetch-rate", "N", "requests to the provider begun per second, in the whole storm (default: any number)"),
    Flag("fetch-timeout", "DURATION", "for one request to the provider (default 10s)"),
    Flag("connect-timeout", "DURATION", "from the start of a connection to the login (default 30s)"),
  ]

  private static let machinery = [
    Flag("sources", "N", "connect from 127.0.0.1 and so on, N addresses (default: as many as the ports ask for)"),
    Flag(
      "processes", "N",
      "processes (default: as many as the limit of descriptors asks for, at least one for each worker)"),
    Flag(
      "worker", "HOST:PORT",
      "have postern worker there carry out a part of the storm, with TLS off loopback; files that flags name must lie there too",
      repeats: true),
    Flag("worker-secret-file", "FILE", "what the workers' --secret-file holds"),
    Flag("worker-ca", "FILE", "who signs the workers' certificates, PEM (default: whom the system trusts)"),
    Flag("worker-wait", "DURATION", "how long to wait for workers that cannot be reached yet (default 0s)"),
    Flag("loops", "N", "event loops of each process, one thread each (default 1)"),
    Flag(
      "stop-when", "RULE",
      "end early, e.g. 'connects.failed.share > 50% over 10s', 'provider.refused.share > 20% over 30s', never (default: both at 50% over 10s where a host is not this machine; on this machine, if nobody gets a token as nobody listens or no answer has one)",
      repeats: true),
    Flag("unmarked", nil, "say neither User-Agent nor Postern-Storm, which name the storm; to this machine only"),
    Flag("seed", "N", "the seed of all chance (default 1)"),
    Flag("timeout", "DURATION", "the storm ends by then, whatever happens (default: when the last timeout is over)"),
  ]

  private static let outcome =
    [
      Flag(
        "threshold", "EXPR",
        "e.g. 'refresh.p99 < 500ms', 'time_to_99 < 20s' (default: nobody lost, missing or overstayed)",
        repeats: true),
      Flag("report", "DIR", "write storm.html and storm.json there"),
      Flag(
        "live", "PORT",
        "a page on http://127.0.0.1:PORT that moves while the storm lasts, with the report's charts (0: any free port)"),
      Flag("json", nil, "print the JSON report in place of the table"),
    ] + ReportOutputs.flags

  private static let minting =
    [Flag("mint", nil, "the clients mint their tokens themselves, with these keys; no provider takes part")]
    + TokenKeys.flags + TokenKeys.policyFlags.filter { $0.name != "leeway" }
    + Vendors.all.flatMap { $0.clients.keyFlags }
}
