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
    FlagSection("the storm's own machinery", parts + workers + machinery),
    FlagSection("what comes of it", outcome + outputs),
    FlagSection("clients that mint", minting.map(\.flag) + keys),
  ]

  /// The options, but for the vendors' own and those of a whole storm. The scenario precedes what flags set in its place.
  static let options =
    addresses + dialect + wire + sdk + application + fleet + expiry + clients + parts + machinery + outcome + minting

  /// The options that the parts of a storm leave out.
  static let optionsOfWhole = workers + outputs

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
    "report", "live", "live-for", "json", "refresh-lead", "refresh-spread", "refresh-timeout",
  ])
  .union(ReportOutputs.options.map(\.flag.name))
  .union(Vendors.all.flatMap { $0.clients.flags + $0.clients.keyFlags }.map(\.name))

  @OptionList<StormDraft>
  private static var addresses: [Option<StormDraft>] {
    Option(
      "url", "URL",
      "the gateway, ws://host:port or wss://..., with a path if it is not the dialect's own; of several a client keeps to one",
      each: \.urls)
    Option(
      "provider", "URL", "the token provider (default: the first gateway's own POST /v1/tokens)", \.provider, .asGiven)
    Option(
      "tokens", "FILE|NAME",
      "how the token endpoint is asked: a file (its path has a / or a .), or a name of postern wire list --tokens; its paths are below --provider",
      \.tokens, .asGiven)
    Option(
      "template-secret", "NAME=FILE", "what stands for {{secret.NAME}} in a description", each: \.templateSecrets)
    Option(
      "provider-only", "storm the endpoint of --tokens alone: logins and renewals, without a gateway",
      \.isProviderOnly)
    Option(
      "provider-secret-file", "FILE", "what the provider wants as a bearer token" + secrets, \.providerSecret, .asGiven)
    Option(
      "control-url", "URL",
      "the gateway's control port: the storm goes by its settings, and reports its CPU and memory (of several, the sums)",
      each: \.controls)
    Option(
      "control-secret-file", "FILE", "what the control port wants as a bearer token", \.controlSecret,
      Reading<String>.secret.map { secret, _ in Credentials(token: secret) })
    Option(
      "fault", "JSON", "have the gateway fail so while the storm lasts, by --control-url (postern ctl faults --known)",
      each: \.faults)
    Option(
      "scenario", "FILE",
      "the fleet and what happens phase by phase: orders, faults, thresholds; postern simulate takes the same file; flags win"
    ) { value, draft in
      let scenario = try ScenarioFile(value.text, of: value.source).world
      draft.scenarioName = value.text.split(separator: "/").last.map(String.init)
      draft.scenario = Sourced(value: scenario, source: value.source)
      draft.plan = scenario.settings.plan
    }
    Option("insecure", "accept certificates that nobody the system trusts has signed", \.isInsecure)
    Option(
      "i-may-storm", "HOST",
      "a host that is not this machine, whose owners know of the storm (then, unless said: --rate 50, --fetches 50, --fetch-rate 50, --timeout 10m)",
      each: \.informed)
    Option(
      "with-leave-of", "HOST", "one of a service that many share, whose owners have given leave", each: \.consenting)
  }

  private static var secrets: String {
    Vendors.all.map { vendor in vendor.clients.providerSecret.map { "; for \(vendor.scheme) \($0)" } ?? "" }.joined()
  }

  private static let dialect: [Option<StormDraft>] = [
    Vendors.option("dialect", "what the clients speak", \.dialect)
  ]

  private static let wire: [Option<StormDraft>] = [
    Option(
      "wire", "FILE|NAME",
      "what the clients speak, in place of --dialect: a file (its path has a / or a .), or a name of postern wire list",
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
        "sdk", names.joined(separator: "|"), "whose habits they have (default \(names.first ?? ""))\(whose)", \.sdk,
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
    Option("clients", "N", "how many clients (default 1000)", \.plan.clients, .int(1...1_000_000))
    Option("rate", "N", "connections begun per second (default 500)", \.rate, .number(0.001...1_000_000))
    Option("ramp", "DURATION", "how long the rate takes to rise from 0 (default 0s)", \.plan.ramp, .duration)
    Option(
      "hold", "DURATION", "how long everybody is idle before the tokens expire (default 5s)", \.plan.hold, .duration)
    Option("behaviour", "MIX", "shares, as well-behaved=90,slow=4,forgetful=2,stale=2,garbage=1,refused=1") {
      value, draft in
      do {
        draft.plan.behaviours = try BehaviourMix(parsing: value.text)
      } catch {
        throw UsageError("\(error)")
      }
    }
  }

  @OptionList<StormDraft>
  private static var expiry: [Option<StormDraft>] {
    Option(
      "expiry", "common|own", "whether the first tokens expire together or each by itself (default common)"
    ) { value, draft in
      guard let expiry = StormPlan.Expiry(rawValue: value.text) else {
        throw UsageError(value.source, value: value.text, expected: "common or own")
      }
      draft.expiry = Sourced(value: expiry, source: value.source)
    }
    Option(
      "start-at", "UNIX_S", "when the first client connects, so that several storms keep step (default: at once)",
      \.startsAt, Reading<Double>.number(0...1e11).map { seconds, _ in WallTime(seconds: seconds) })
    Option(
      "expire-after", "DURATION", "when they expire together, from the start (default: after ramp and hold)",
      \.expireAfter, Reading<Duration>.duration.sourced)
    Option(
      "life", "DURATION", "the life of the tokens fetched later, and of the first if own (default 1h)", \.life,
      Reading<Duration>.duration.sourced)
    Option(
      "jitter", "SHARE", "the share of the life that expiries are scattered over (default 0)", \.jitter,
      Reading<Double>.share.sourced)
    Option("waves", "N", "how often each client is to be refreshed (default 1)", \.plan.waves, .int(1...1000))
    Option(
      "refresh-lead", "DURATION",
      "the gateway's lead, to know when requests begin (default: what --control-url tells, else 0s)", \.refreshLead,
      .duration)
    Option("refresh-spread", "DURATION", "the gateway's spread, likewise", \.refreshSpread, .duration)
    Option(
      "refresh-timeout", "DURATION",
      "the gateway's timeout, likewise, to know when the storm is over (else 60s)", \.refreshTimeout, .duration)
  }

  @OptionList<StormDraft>
  private static var clients: [Option<StormDraft>] {
    Option(
      "slow-delay", "DURATION", "how long a slow client waits before it asks the provider (default 3s)",
      \.plan.slowDelay, .duration)
    Option(
      "reconnect", "clients whose connection ends come back with a new token, after waits with full jitter",
      \.reconnects)
    Option(
      "fetches", "N",
      "requests to the provider at once, in each process (default 1000, fewer where the limit of descriptors is low)",
      \.fetches, .int(1...60_000))
    Option(
      "fetch-rate", "N", "requests to the provider begun per second, in the whole storm (default: any number)",
      \.fetchRate, .number(0.001...1_000_000))
    Option("fetch-timeout", "DURATION", "for one request to the provider (default 10s)", \.plan.fetchTimeout, .duration)
    Option(
      "connect-timeout", "DURATION", "from the start of a connection to the login (default 30s)", \.connectTimeout,
      Reading<Duration>.duration.sourced)
  }

  @OptionList<StormDraft>
  private static var parts: [Option<StormDraft>] {
    Option(
      "sources", "N", "connect from 127.0.0.1 and so on, N addresses (default: as many as the ports ask for)",
      \.sources, Reading<Int>.int(0...254).sourced)
    Option(
      "processes", "N",
      "processes (default: as many as the limit of descriptors asks for, at least one for each worker)", \.processes,
      .int(1...64))
  }

  private static let workers = WorkerDraft.options.map { $0.of(\StormDraft.workers) }

  @OptionList<StormDraft>
  private static var machinery: [Option<StormDraft>] {
    Option("loops", "N", "event loops of each process, one thread each (default 1)", \.plan.loops, .int(1...64))
    Option(
      "stop-when", "RULE",
      "end early, e.g. 'connects.failed.share > 50% over 10s', 'provider.refused.share > 20% over 30s', never (default: both at 50% over 10s where a host is not this machine; on this machine, if nobody gets a token as nobody listens or no answer has one)",
      repeats: true
    ) { value, draft in draft.stopRules.append(value.text) }
    Option(
      "unmarked", "say neither User-Agent nor Postern-Storm, which name the storm; to this machine only", \.isUnmarked)
    Option(
      "seed", "N", "the seed of all chance (default 1)", \.plan.seed,
      Reading<Int>.int(0 ... .max).map { seed, _ in UInt64(seed) })
    Option(
      "timeout", "DURATION", "the storm ends by then, whatever happens (default: when the last timeout is over)",
      \.timeout, .duration)
  }

  @OptionList<StormDraft>
  private static var outcome: [Option<StormDraft>] {
    Option(
      "threshold", "EXPR",
      "e.g. 'refresh.p99 < 500ms', 'time_to_99 < 20s' (default: nobody lost, missing or overstayed)",
      repeats: true
    ) { value, draft in draft.thresholds.append(value.text) }
    Option("report", "DIR", "write storm.html and storm.json there", \.reportDirectory, .text)
    Option(
      "live", "PORT",
      "a page on http://127.0.0.1:PORT that moves while the storm lasts, with the report's charts, and /metrics for Prometheus (0: any free port)",
      \.livePort, .int(0...65_535))
    Option(
      "live-for", "DURATION", "how long --live answers after the end, for a last scrape, at most 1h (default 0s)",
      \.liveTime,
      Reading<Duration>.duration.map { time, name in
        guard time <= .seconds(3600) else { throw UsageError("--\(name)", value: "\(time)", expected: "1h or less") }
        return time
      }.sourced)
    Option("json", "print the JSON report in place of the table", \.printsJSON)
  }

  private static let outputs = ReportOutputs.options.map { $0.of(\StormDraft.outputs) }

  private static let minting: [Option<StormDraft>] = [
    Option(
      "mint", "the clients mint their tokens themselves, with these keys; no provider takes part", \.isMinting)
  ]

  private static let keys =
    TokenKeys.flags + TokenKeys.policyFlags.filter { $0.name != "leeway" }
    + Vendors.all.flatMap { $0.clients.keyFlags }
}
