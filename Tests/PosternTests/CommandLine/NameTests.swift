import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayPlanner
import GatewayReport
import GatewayRuntime
import Testing

@testable import postern

/// One thing has one name: as a flag, as a key of a file, as a member of the control API, and as a figure of a report.
struct NameTests {
  /// Returns whether a member has the name of one of the flags. A time's member has its unit as a suffix, a list's is in
  /// the plural, and the name of its group may be left out.
  private static func isNamed(_ member: String, _ group: String, _ flags: [Flag]) -> Bool {
    let words = member.split(separator: "_").map(String.init)
    let name = (["s", "ms"].contains(words.last) ? words.dropLast() : words[...]).joined(separator: "-")
    let one = name.last == "s" ? String(name.dropLast()) : name
    let names = [name, "\(group)-\(name)", one, "\(group)-\(one)"]
    return flags.contains { flag in names.contains { $0 == flag.name } }
  }

  /// The members of `GET /settings` that have no flag, or whose flag has another name, which is given.
  private static let others: [String: String?] = [
    "name": nil, "version": nil, "tls": "tls-certificate", "connections_per_second": "connection-rate",
    "needs_secret": "provider-secret-file",
  ]

  @Test
  func `each member of the control API's settings has the name of its flag`() throws {
    let description = GatewayDescription(
      dialects: [.init("plain", try SessionPolicy(), .ping(after: .seconds(1), timeout: .seconds(1)))],
      limits: .init(
        connectionsMax: 1, connectionRate: 1, messageBytesMax: 1, bodyBytesMax: 1, headerBytesMax: 1,
        outboundBytesMax: 1),
      provider: .init(latencyS: 0, concurrency: 1, queueMax: 1, failureRate: 0, tokenLifeS: 1, needsSecret: false),
      loops: 1, tls: false)
    let document = try JSONDocument.parse(JSONCoder(names: .snakeCase).encode(description))
    var members: [(name: String, group: String)] = []
    for (name, value) in document.root.members ?? [] {
      let parts = value.elements ?? (value.isObject ? [value] : [])
      members += parts.isEmpty ? [(name, "")] : parts.flatMap { ($0.members ?? []).map { ($0.name, name) } }
    }
    #expect(members.count > 20)
    for (name, group) in members {
      let isNamed = Self.isNamed(name, group, ServeFlags.all)
      #expect(isNamed != Self.others.keys.contains(name), "\(group) \(name)")
    }
    for flag in Self.others.values.compactMap(\.self) {
      #expect(ServeFlags.all.contains { $0.name == flag }, "--\(flag)")
    }
  }

  /// The keys of a scenario that have no flag.
  private static let onlyOfScenarios: Set<String> = [
    "gateway", "client", "world", "phases", "backoff", "login_tries", "first_token",
    "hammer_pause_s", "hammer_in_vain", "users_per_address", "arrivals", "stays", "for_s",
    "devices", "tabs", "single_flight", "signed_out", "retry", "fleets",
  ]

  @Test
  func `each key of a scenario has the name of its flag of the storm`() {
    let keys = SimulateScenario.keys + SimulateScenario.clientKeys
    for key in keys {
      #expect(Self.isNamed(key, "", StormCommand.flags) != Self.onlyOfScenarios.contains(key), "\(key)")
    }
  }

  @Test
  func `each key of a scenario's gateway and provider has the name of the gateway's flag`() {
    let onlySimulated: Set<String> = ["rate", "order", "pauses", "warmup", "refusal_ms", "retry_after"]
    for key in SimulateScenario.gatewayKeys { #expect(Self.isNamed(key, "", ServeFlags.all), "\(key)") }
    for key in ProviderModel.keys {
      #expect(Self.isNamed(key, "provider", ServeFlags.all) != onlySimulated.contains(key), "\(key)")
    }
  }

  @Test
  func `each setting of a storm's plan in its report has the name of its flag`() throws {
    let onlyInPlans: Set<String> = ["backoff", "comeback", "gateway", "login_tries"]
    let document = try JSONDocument.parse(JSONCoder(names: .snakeCase).encode(StormPlan()))
    let members = (document.root.members ?? []).map(\.name)
    #expect(members.count > 15)
    for name in members {
      #expect(Self.isNamed(name, "", StormCommand.flags) != onlyInPlans.contains(name), "\(name)")
    }
  }

  /// Returns a value that the flag accepts, by its placeholder.
  private static func sample(_ flag: Flag) -> String? {
    switch flag.value {
    case nil: nil
    case "DURATION": "2s"
    case "N": "1000"
    case "UNIX_S": "1767225600"
    case "DATE": "2026-01-01T00:00:00Z"
    case "HEX": String(repeating: "ab", count: 32)
    case "connection|provider|refresh": "provider"
    case "moves|stays": "moves"
    case "MEANING": "request:refresh"
    case let value?: value == "refresh_required" ? value : "ann"
    }
  }

  /// Orders, and their flags that are no member of the body: they name sessions by the path, are read as a whole, or
  /// say `"nodes": "all"`.
  private static let orders: [(action: ControlAction, operand: String, without: Set<String>)] = [
    (.disconnect, "", ["user", "session"]), (.revoke, "", []), (.signal, "logout", []), (.drain, "", ["all-nodes"]),
    (.space, "create", ["set"]), (.clock, "", []), (.advance, "", []), (.wait, "refreshed", []),
    (.expect, "single_flight", []),
  ]

  @Test
  func `each flag of an order has the name of the order's member in the control API`() throws {
    for (action, operand, without) in Self.orders {
      let flags = action.flags.filter { !without.contains($0.name) }
      var words = [action.word, operand].filter { !$0.isEmpty }
      for flag in flags { words += ["--\(flag.name)"] + (Self.sample(flag).map { [$0] } ?? []) }
      let arguments = try Arguments(
        words, flags: ControlCommand.flags, environment: [:], operands: true, among: Postern.commands)
      let request = try action.order(
        arguments, .init(operand: operand.isEmpty ? nil : operand, space: operand == "create" ? nil : "t")
      ).request
      let members = (try JSONDocument.parse(request.body).root.members ?? []).map(\.name)
      let named = members.map { member in
        ["_id", "_ms", "_s"].first { member.hasSuffix($0) }.map { String(member.dropLast($0.count)) } ?? member
      }
      for flag in flags where flag.name != "all" {
        let key = flag.name.split(separator: "-").joined(separator: "_")
        #expect(named.contains(key), "\(action.word) --\(flag.name): \(members)")
      }
    }
  }

  /// The names of a storm's metrics for Prometheus that a figure of the report has otherwise, and those that are no
  /// figure: it has no state of a moment, and no part of a sum that the report shows as a table.
  private static let metrics: [String: String?] = [
    "refresh.requests": "refresh.asked", "logins.accepted": "connects.ok", "logins.failed": "connects.failed",
    "logins.return_refused": "return.refused", "logins.return_failed": "return.failed", "connections_ended": "cut_off",
    "clients.away": nil, "clients.connected": nil, "clients.not_started": nil, "provider.calls_in_flight": nil,
    "refresh.given_up": nil, "signed_out.idle": nil, "signed_out.other": nil, "info": nil, "over": nil, "seconds": nil,
  ]

  /// A storm in which each thing has happened another number of times.
  private static var eventful: StormResult {
    var result = StormResult()
    (result.connects.attempted, result.connects.accepted) = (400, 397)
    result.connects.failed.count("unreachable", 3)
    result.behaviours[.wellBehaved, default: .init()].clients = 400
    result.behaviours[.wellBehaved, default: .init()].connected = 397
    (result.refreshes.asked, result.refreshes.answered) = (350, 340)
    (result.refreshes.accepted, result.refreshes.timedOut) = (330, 5)
    result.refreshes.refused.count("token_expired", 7)
    result.refreshes.givenUp.count("no_token", 11)
    (result.returns.interrupted, result.returns.attempts) = (60, 50)
    result.returns.refused.count("overloaded", 13)
    result.returns.failed.count("unreachable", 17)
    result.disconnects.count("1006", 19)
    var arrivals = ArrivalTally()
    (arrivals.started, arrivals.notStarted) = (400, 23)
    arrivals.unfinished = 29
    result.arrivals = arrivals
    (result.tokens.login.calls, result.tokens.login.granted, result.tokens.login.busy) = (130, 31, 37)
    result.tokens.login.refused.count("401", 41)
    result.tokens.login.failed.count("timeout", 43)
    (result.tokens.refresh.calls, result.tokens.refresh.granted, result.tokens.refresh.busy) = (230, 47, 53)
    result.tokens.refresh.refused.count("401", 59)
    result.tokens.refresh.failed.count("timeout", 61)
    var signOuts = SignOutTally()
    signOuts.devices = 400
    for (cause, count) in zip(TokenJar.Cause.allCases, [67, 71, 73, 79]) { signOuts.causes[cause] = count }
    result.signOuts = signOuts
    return result
  }

  /// Returns the name of a figure that a sample of the metrics page would have, e.g. `provider.login.busy` for
  /// `postern_storm_provider_calls_total{purpose="login",outcome="busy"}`.
  private static func figure(of sample: Substring) -> String {
    let parts = sample.dropFirst("postern_storm_".count).split(separator: "{", maxSplits: 1)
    var name = String(parts[0])
    for unit in ["_total", "_count"] where name.hasSuffix(unit) { name.removeLast(unit.count) }
    let labels = parts.count > 1 ? parts[1].dropLast().split(separator: ",").map { $0.split(separator: "\"")[1] } : []
    name = ["provider_calls": labels.isEmpty ? "provider_calls" : "provider", "refreshes": "refresh"][name] ?? name
    for group in ["arrivals", "provider", "refresh"] where name.hasPrefix("\(group)_") {
      name = "\(group).\(name.dropFirst(group.count + 1))"
    }
    return ([name] + (name == "info" ? [] : labels.map { String($0) })).joined(separator: ".")
  }

  @Test
  func `each metric of a storm has the name of its figure in the report, and the same value`() throws {
    let result = Self.eventful
    let page = StormMetrics(run: "r", scenario: "s", dialect: "plain", clients: 400).page(result, isOver: true)
    var exceptions = Set(Self.metrics.keys)
    var compared: Set<Double> = []
    for line in String(decoding: page, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
      let sample = try #require(line.lastIndex(of: " "))
      let name = Self.figure(of: line[..<sample])
      // A histogram is the figures `.p50` to `.max`.
      guard !name.contains("seconds") || name == "seconds" else { continue }
      exceptions.remove(name)
      guard let known = Self.metrics[name, default: name] else {
        #expect(Metric.named(name) == nil, "\(line) is a figure")
        continue
      }
      let metric = try #require(Metric.named(known), "\(line) is no figure called \(known)")
      let value = try #require(Double(line[line.index(after: sample)...]))
      #expect(metric.value(result) == value, "\(line) is \(known)")
      compared.insert(value)
    }
    #expect(exceptions.isEmpty)
    #expect(compared.count > 18)
  }

  @Test
  func `a proxy's flag that serve has too means the same`() {
    for flag in ProxyCommand.flags {
      guard let same = ServeFlags.all.first(where: { $0.name == flag.name }) else { continue }
      #expect(same.value == flag.value, "--\(flag.name)")
    }
  }
}
