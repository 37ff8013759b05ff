import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner

/// The flags of `postern storm`.
enum StormFlags {
  static let sections = [
    FlagSection("addresses", addresses),
    FlagSection("what the clients speak", (dialect + wire + sdk).map(\.flag) + vendors + application.map(\.flag)),
    FlagSection("the fleet", fleet),
    FlagSection("when tokens expire", expiry),
    FlagSection("what clients do", clients),
    FlagSection("how the storm runs", parts + workers + machinery),
    FlagSection("output", outcome + outputs),
    FlagSection("traces", traces),
    FlagSection("keys of --mint", minting.map(\.flag) + keys),
    FlagSection("the keys' issuer", issuer),
  ]

  /// The options, except the vendors' own and those of a whole storm. The scenario comes first, so that flags override it.
  static let options =
    addresses + dialect + wire + sdk + application + fleet + expiry + clients + parts + machinery + outcome + traces
    + minting + issuer

  /// A storm's users are numbered, so their names would say nothing.
  private static let traces = TracesDraft.options.filter { $0.flag.name != "trace-users" }.map {
    $0.of(\StormDraft.traces)
  }

  /// The options that the parts of a storm leave out.
  static let optionsOfWhole = workers + outputs

  /// The flags for a storm of one client that shows its messages.
  static let ofOneClient = sections.map { section in
    FlagSection(
      titlesOfOneClient[section.title] ?? section.title, section.flags.filter { !fleetOnly.contains($0.name) })
  }.filter { !$0.flags.isEmpty }

  private static let titlesOfOneClient = [
    "the fleet": "the client", "what clients do": "the client's timeouts",
    "when tokens expire": "when its token expires",
    "how the storm runs": "how the client runs", "keys of --mint": "keys of --mint",
  ]

  private static let fleetOnly = Set([
    "provider-only", "control-url", "control-secret-file", "fault", "scenario", "dialect", "sdk", "api-key",
    "application", "clients", "rate", "ramp", "hold", "expiry", "jitter", "start-at", "waves", "reconnect",
    "slow-delay",
    "fetches", "fetch-rate", "sources", "processes", "worker", "worker-secret-file", "worker-ca", "worker-wait",
    "loops", "stop-when", "threshold",
    "report", "live", "live-for", "json", "otlp", "trace-share", "refresh-lead", "refresh-spread", "refresh-timeout",
  ])
  .union(ReportOutputs.options.map(\.flag.name))
  .union(IssuerDraft.options.map(\.flag.name))
  .union(Vendors.all.flatMap { $0.clients.flags + $0.clients.keyFlags }.map(\.name))

  @OptionList<StormDraft>
  private static var addresses: [Option<StormDraft>] {
    Option(
      "url", "URL",
      "the gateway's address, ws://host:port or wss://..., with a path if it is not the dialect's own; each client keeps to one of several",
      each: \.urls)
    Option(
      "provider", "URL", "the token provider's address (default: the first gateway's own POST /v1/tokens)", \.provider,
      .asGiven)
    Option(
      "tokens", "FILE|NAME",
      "the description of the token endpoint: a file (its path has a / or a .), or a name of postern wire list --tokens; its paths are below --provider",
      \.tokens, .asGiven)
    Option(
      "template-secret", "NAME=FILE", "the file with the value of {{secret.NAME}} in a description",
      each: \.templateSecrets)
    Option(
      "provider-only", "storm only the token endpoint of --tokens, with logins and renewals, without a gateway",
      \.isProviderOnly)
    Option(
      "provider-secret-file", "FILE", "the file with the bearer token that the token provider requires" + secrets,
      \.providerSecret, .asGiven)
    Option(
      "control-url", "URL",
      "the address of the gateway's control port, from which the storm reads settings, CPU time and memory (of several, the sums)",
      each: \.controls)
    Option(
      "control-secret-file", "FILE", "the file with the control port's bearer secret", \.controlSecret,
      Reading<String>.secret.map { secret, _ in Credentials(token: secret) })
    Option(
      "fault", "JSON",
      "a fault of the gateway during the storm, ordered through --control-url (postern ctl faults --known lists all)",
      each: \.faults)
    Option(
      "scenario", "FILE",
      "the file with the fleet and its phases: orders, faults, thresholds; postern simulate reads it too; flags override it"
    ) { value, draft in
      let scenario = try ScenarioFile(value.text, of: value.source).world
      draft.scenarioName = value.text.split(separator: "/").last.map(String.init)
      draft.play(scenario, source: value.source)
    }
    Option("insecure", "accept a server's certificate even if the system does not trust it", \.isInsecure)
    Option(
      "i-may-storm", "HOST",
      "a host other than this machine whose owners know of the storm; the defaults are then --rate 50, --fetches 50, --fetch-rate 50, --timeout 10m",
      each: \.informed)
    Option(
      "with-leave-of", "HOST", "a host of a service that many share, whose owners have given permission",
      each: \.consenting)
  }

  private static var secrets: String {
    Vendors.all.map { vendor in vendor.clients.providerSecret.map { "; for \(vendor.scheme) \($0)" } ?? "" }.joined()
  }

  private static let dialect: [Option<StormDraft>] = [
    Vendors.option("dialect", "the dialect that the clients speak", \.dialect)
  ]

  private static let wire: [Option<StormDraft>] = [
    Option(
      "wire", "FILE|NAME",
      "the wire that the clients speak, instead of --dialect: a file (its path has a / or a .), or a name of postern wire list",
      \.wire, .asGiven)
  ]

  private static var sdk: [Option<StormDraft>] {
    let vendors = Vendors.all.filter { !$0.clients.sdks.isEmpty }
    let names = vendors.flatMap { $0.clients.sdks }.reduce(into: [String]()) { names, name in
      if !names.contains(name) { names.append(name) }
    }
    let whose = vendors.map { "; \($0.scheme): \($0.clients.sdks.joined(separator: ", "))" }.joined()
    return [
      Option(
        "sdk", names.joined(separator: "|"),
        "the SDK that the clients behave like (default \(names.first ?? ""))\(whose)", \.sdk,
        .asGiven)
    ]
  }

  private static let vendors = Vendors.all.flatMap { $0.clients.flags }

  private static var application: [Option<StormDraft>] {
    let usual = Vendors.all.compactMap { vendor in
      vendor.clients.usualApplication.map { "\(vendor.scheme) (default \($0))" }
    }
    return [
      Option("application", "ID", "the application of \(usual.joined(separator: " or "))", \.application, .asGiven)
    ]
  }

  @OptionList<StormDraft>
  private static var fleet: [Option<StormDraft>] {
    Option(
      "clients", "N|FLEET=N", "the number of clients, or that of one of the scenario's fleets (default 1000)",
      repeats: true
    ) { value, draft in try draft.resize(value) }
    Option("rate", "N", "how many connections start per second (default 500)", \.rate, .number(0.001...1_000_000))
    Option("ramp", "DURATION", "how long --rate takes to rise from 0 (default 0s)", \.plan.ramp, .duration)
    Option(
      "hold", "DURATION", "how long all clients are idle before the tokens expire (default 5s)", \.plan.hold, .duration)
    Option(
      "behaviour", "MIX",
      "how clients behave, by shares, e.g. well-behaved=90,slow=4,forgetful=2,stale=2,garbage=1,refused=1"
    ) {
      value, draft in
      do {
        draft.plan.behaviours = try BehaviourMix(parsing: value.text)
      } catch {
        throw UsageError("\(value.source): \(error)")
      }
    }
  }

  @OptionList<StormDraft>
  private static var expiry: [Option<StormDraft>] {
    Option(
      "expiry", "common|own", "whether the first tokens expire all at one time or each at its own (default common)"
    ) { value, draft in
      guard let expiry = StormPlan.Expiry(rawValue: value.text) else {
        throw UsageError(value.source, value: value.text, expected: "common or own")
      }
      draft.expiry = Sourced(value: expiry, source: value.source)
    }
    Option(
      "start-at", "UNIX_S",
      "when the first client connects, in Unix seconds, so that several storms start together (default: at once)",
      \.startsAt, Reading<Double>.number(0...1e11).map { seconds, _ in WallTime(seconds: seconds) })
    Option(
      "expire-after", "DURATION",
      "when the first tokens expire if they expire together, from the start (default: after ramp and hold)",
      \.expireAfter, Reading<Duration>.duration.sourced)
    Option(
      "life", "DURATION",
      "how long fetched tokens are valid; the first ones too if each expires at its own time (default 1h)", \.life,
      Reading<Duration>.duration.sourced)
    Option(
      "jitter", "SHARE", "the share of the tokens' life over which expiries are scattered (default 0)", \.jitter,
      Reading<Double>.share.sourced)
    Option("waves", "N", "how often each client is refreshed (default 1)", \.plan.waves, .int(1...1000))
    Option(
      "refresh-lead", "DURATION",
      "the gateway's --refresh-lead, for the start of refresh requests (default: what --control-url tells, else 0s)",
      \.refreshLead,
      .duration)
    Option(
      "refresh-spread", "DURATION",
      "the gateway's --refresh-spread, for the start of refresh requests (default: what --control-url tells, else 0s)",
      \.refreshSpread, .duration)
    Option(
      "refresh-timeout", "DURATION",
      "the gateway's --refresh-timeout, for the end of the storm (default: what --control-url tells, else 60s)",
      \.refreshTimeout, .duration)
  }

  @OptionList<StormDraft>
  private static var clients: [Option<StormDraft>] {
    Option(
      "slow-delay", "DURATION", "how long a slow client waits before it asks the token provider (default 3s)",
      \.plan.slowDelay, .duration)
    Option(
      "reconnect", "reconnect clients whose connection ended, with a new token, after waits with full jitter",
      \.reconnects)
    Option(
      "fetches", "N",
      "requests to the token provider at once, in each process (default 1000, fewer if the descriptor limit is low)",
      \.fetches, .int(1...60_000))
    Option(
      "fetch-rate", "N", "requests to the token provider that start per second, in the whole storm (default: no limit)",
      \.fetchRate, .number(0.001...1_000_000))
    Option(
      "fetch-timeout", "DURATION", "how long one request to the token provider may take (default 10s)",
      \.plan.fetchTimeout, .duration)
    Option(
      "connect-timeout", "DURATION", "how long a client may take from connecting to its login (default 30s)",
      \.connectTimeout,
      Reading<Duration>.duration.sourced)
  }

  @OptionList<StormDraft>
  private static var parts: [Option<StormDraft>] {
    Option(
      "sources", "N", "connect from N addresses, 127.0.0.1 and following (default: as many as the ports require)",
      \.sources, Reading<Int>.int(0...254).sourced)
    Option(
      "processes", "N",
      "the number of processes (default: as many as the descriptor limit requires, at least one for each worker)",
      \.processes,
      .int(1...64))
  }

  private static let workers = WorkerDraft.options.map { $0.of(\StormDraft.workers) }

  @OptionList<StormDraft>
  private static var machinery: [Option<StormDraft>] {
    Option("loops", "N", "event loops of each process, one thread each (default 1)", \.plan.loops, .int(1...64))
    Option(
      "stop-when", "RULE",
      "a condition that ends the storm early, e.g. 'connects.failed.share > 50% over 10s', 'provider.refused.share > 20% over 30s', or never (default: both at 50% over 10s if a host is not this machine; on this machine, if no client gets a token because the endpoint does not listen or no answer has a token)",
      repeats: true
    ) { value, draft in draft.stopRules.append(value.text) }
    Option(
      "unmarked", "send neither User-Agent nor Postern-Storm, which identify the storm; only to this machine",
      \.isUnmarked)
    Option(
      "seed", "N", "the seed of all random numbers (default 1)", \.plan.seed,
      Reading<Int>.int(0 ... .max).map { seed, _ in UInt64(seed) })
    Option(
      "timeout", "DURATION",
      "when the storm ends at the latest, from its start (default: when the last timeout is over)",
      \.timeout, .duration)
  }

  @OptionList<StormDraft>
  private static var outcome: [Option<StormDraft>] {
    Option(
      "threshold", "EXPR",
      "a condition that the storm must meet, e.g. 'refresh.p99 < 500ms', 'time_to_99 < 20s' (default: no client lost, missing or overstayed)",
      repeats: true
    ) { value, draft in draft.thresholds.append(value.text) }
    Option("report", "DIR", "write storm.html and storm.json to this folder", \.reportDirectory, .text)
    Option(
      "live", "PORT",
      "serve the report's charts while the storm runs, on http://127.0.0.1:PORT, with /metrics for Prometheus (0: any free port)",
      \.livePort, .int(0...65_535))
    Option(
      "live-for", "DURATION",
      "how long --live still answers after the storm's end, for a last scrape, at most 1h (default 0s)",
      \.liveTime,
      Reading<Duration>.duration.map { time, name in
        guard time <= .seconds(3600) else { throw UsageError("--\(name)", value: "\(time)", expected: "1h or less") }
        return time
      }.sourced)
    Option("json", "print the JSON report instead of the table", \.printsJSON)
  }

  private static let outputs = ReportOutputs.options.map { $0.of(\StormDraft.outputs) }

  private static let minting: [Option<StormDraft>] = [
    Option(
      "mint", "mint the tokens in the clients, with --secret-file or --key-file, without a token provider", \.isMinting)
  ]

  private static let issuer = IssuerDraft.options.map { $0.of(\StormDraft.issuer) }

  private static let keys =
    TokenKeys.flags + TokenKeys.policyFlags.filter { $0.name != "leeway" }
    + Vendors.all.flatMap { $0.clients.keyFlags }
}
