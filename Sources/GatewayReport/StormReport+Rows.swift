internal import GatewayCore
import GatewayFleet

// Rows that both the table and the page show.

extension StormReport {
  /// The columns of the clients by behaviour, and their meanings.
  static let columnMeanings: [(name: String, meaning: String)] = [
    ("clients", "began"),
    ("connected", "were logged in at least once"),
    ("refreshed", "were refreshed at least once, whatever came later"),
    ("kept", "were refreshed in every wave, and are connected"),
    ("lost", "were cut off, should not have been, and did not come back in time; or missed a refresh and came back"),
    ("lost as due", "were cut off, as their behaviour demands"),
    ("overstayed", "should have been cut off, and are still connected"),
    ("unrefreshed", "are still connected, and were not refreshed in every wave"),
    ("late", "were let in only after the common expiry: nothing was asked of them"),
    ("returned", "were interrupted, and are back with a token that outlives the storm"),
  ]

  /// The columns of ``behaviourRows``. Columns about signed-out devices exist only if refresh tokens rotate.
  var columns: [(name: String, meaning: String)] {
    Self.columnMeanings
      + (result.signOuts == nil
        ? [] : [("signed out", "would be lost or unrefreshed, and their device was signed out")])
  }

  /// A row for each behaviour: its name, and the ``columns``.
  var behaviourRows: [[String]] {
    behaviours.map { behaviour, tally in
      [behaviour.rawValue]
        + [
          tally.clients, tally.connected, tally.refreshed, tally.kept, tally.lostUnexpectedly, tally.lostExpectedly,
          tally.overstayed, tally.unrefreshed, tally.late, tally.returned,
        ].map(Figures.count) + (result.signOuts == nil ? [] : [Figures.count(tally.signedOut ?? 0)])
    }
  }

  /// The outcome of arrivals, for clients that come and go; none for a fleet that comes once.
  var arrivalRows: [[String]] {
    guard let arrivals = result.arrivals else { return [] }
    return [
      [
        "arrivals", Figures.count(arrivals.planned),
        "\(Figures.count(arrivals.started)) started, \(Figures.count(arrivals.notStarted)) not; "
          + "\(Figures.count(arrivals.left)) left again; at most \(Figures.count(arrivals.presentPeak)) at one time"
          + (arrivals.unfinished.map { "; \(Figures.count($0)) were still logging in at the end" } ?? ""),
      ]
    ]
  }

  /// The devices that were signed out, and their causes; nil if no refresh tokens rotate.
  var signOutRow: [String]? {
    guard let tally = result.signOuts else { return nil }
    let causes = TokenJar.Cause.allCases.compactMap { cause in
      tally.causes[cause].flatMap { $0 > 0 ? "\(Figures.count($0)) \(cause.words)" : nil }
    }
    let share = tally.devices > 0 ? " (\(Figures.percent(Double(tally.total) / Double(tally.devices))))" : ""
    return [
      "signed out", Figures.count(tally.total),
      "of \(Figures.count(tally.devices)) devices\(share)\(causes.isEmpty ? "" : ": ")\(causes.joined(separator: ", "))",
    ]
  }

  /// The columns of ``callRows``.
  static let callHead = ["", "calls", "of all", "429 or 403", "clients that got one"]

  /// The requests of each behaviour, and the answers of rate budgets. None if there was no such answer and no client that
  /// hammers.
  var callRows: [[String]] {
    let provider = result.provider
    guard provider.budgets != nil || result.behaviours[.hammering] != nil, provider.calls > 0 else { return [] }
    return behaviours.map { behaviour, _ in
      let calls = provider.calls(of: behaviour)
      return [
        behaviour.rawValue, Figures.count(calls), Figures.percent(Double(calls) / Double(provider.calls)),
        Figures.count(provider.budgets?.answers[behaviour] ?? 0),
        Figures.count(provider.budgets?.clients[behaviour] ?? 0),
      ]
    }
  }

  /// The columns of ``tokenRows``.
  static let tokenHead = ["", "calls", "granted", "busy", "refused", "failed", "given up", "same token"]

  /// The work of the token provider, with logins and renewals separate; none if no client asked it.
  var tokenRows: [[String]] {
    [("logins", result.tokens.login), ("renewals", result.tokens.refresh)].filter { $0.1.calls > 0 }.map {
      name, calls in
      [name]
        + [
          calls.calls, calls.granted, calls.busy, calls.refused.total, calls.failed.total, calls.givenUp,
          calls.sameToken,
        ].map(Figures.count)
    }
  }

  /// The sources of the ends of the clients' latest tokens; nil if no client had a token.
  var endsText: String? {
    let ends = EndSource.allCases.compactMap { source in
      result.tokens.ends[source].map { "\(source.words) \(Figures.count($0))" }
    }
    return ends.isEmpty ? nil : ends.joined(separator: ", ")
  }

  /// The width of the wave; nil if nothing was refreshed.
  var waveSentence: String? {
    guard let half = result.shortestSpan(ofShare: 0.5), let most = result.shortestSpan(ofShare: 0.95) else {
      return nil
    }
    return
      "half of all \(Figures.count(result.refreshes.accepted)) refreshes within \(Figures.duration(half)), 95 % within "
      + Figures.duration(most)
  }

  /// The settings of the gateway and its provider, as far as known.
  var settingRows: [[String]] {
    let times = plan.gateway
    let known = [
      ("lead", times.lead, times.leadSource), ("spread", times.spread, times.spreadSource),
      ("refresh timeout", times.timeout, times.timeoutSource),
    ].map { name, duration, source in [name, "\(Figures.duration(duration)), \(source.origin)"] }
    guard let settings else { return known }
    return known + dialectRows(settings) + processRows(settings) + providerRows(settings.provider)
  }

  private func dialectRows(_ settings: GatewayDescription) -> [[String]] {
    guard let dialect = settings.dialects.first(where: { Name($0.name) == Name(plan.dialect) }) else { return [] }
    let pings = dialect.pingIntervalS.map { interval in
      "pings after \(Figures.seconds(interval)), gives up \(Figures.seconds(dialect.pongTimeoutS ?? 0)) later"
    }
    let silence = dialect.silenceMaxS.map { "gives up after \(Figures.seconds($0)) of silence" }
    return [
      ["login timeout", Figures.seconds(dialect.loginTimeoutS)], ["revocation", dialect.revocation],
      ["silent peers", pings ?? silence ?? "stay"],
    ]
  }

  private func processRows(_ settings: GatewayDescription) -> [[String]] {
    let limits = settings.limits
    let loops = "\(settings.loops) loop\(settings.loops == 1 ? "" : "s")"
    let known = limits.connectionRate ?? limits.connectionsPerSecond
    let rate = known.map { "\(Figures.decimal($0, places: 1)) a second" } ?? "at any rate"
    return [
      ["gateway", "\(settings.name) \(settings.version), \(loops), \(settings.tls ? "TLS" : "no TLS")"],
      ["connections", "\(Figures.count(limits.connectionsMax)) at most, \(rate)"],
      [
        "bytes at most",
        "message \(Figures.count(limits.messageBytesMax)), body \(Figures.count(limits.bodyBytesMax)), head "
          + "\(Figures.count(limits.headerBytesMax)), waiting \(Figures.count(limits.outboundBytesMax))",
      ],
    ]
  }

  private func providerRows(_ provider: GatewayDescription.Provider) -> [[String]] {
    let places = provider.concurrency.map { "\(Figures.count($0)) at once" } ?? "any number at once"
    var rows = [
      [
        "gateway's own provider",
        "\(Figures.seconds(provider.latencyS)) a token, \(places), \(Figures.count(provider.queueMax)) may wait, "
          + "\(Figures.percent(provider.failureRate)) fail",
      ]
    ]
    if let budgets = provider.budgets { rows.append(["its budgets", budgets.joined(separator: "; ")]) }
    if let rotation = provider.rotation { rows.append(["its refresh tokens", rotation]) }
    let life = provider.tokenLifeS.map { Figures.seconds($0) + ", unless asked otherwise" } ?? "for ever"
    return rows + [["its tokens live", life]]
  }
}

extension TokenJar.Cause {
  fileprivate var words: String {
    switch self {
    case .lostReply: "after a lost reply"
    case .race: "by two tabs at once"
    case .idle: "after too long without use"
    case .other: "by other causes"
    }
  }
}

extension EndSource {
  fileprivate var words: String {
    switch self {
    case .gateway: "the gateway"
    case .jwt: "the token itself"
    case .answer: "the endpoint's answer"
    case .fixed: "the description"
    case .asked: "the storm, which chose it"
    case .unknown: "nobody"
    }
  }
}

extension StormPlan.GatewayTimes.Source {
  fileprivate var origin: String {
    switch self {
    case .assumed: "assumed: nobody said"
    case .told: "as told"
    case .gateway: "as the gateway says"
    }
  }
}
