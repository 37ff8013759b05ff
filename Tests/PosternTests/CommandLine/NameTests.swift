import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayPlanner
import GatewayRuntime
import Testing

@testable import postern

/// One thing has one name: as a flag, as a key of a file, and as a member of the control API.
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
    "devices", "tabs", "single_flight", "signed_out", "retry",
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
    let onlySimulated: Set<String> = ["rate", "order", "pauses", "warmup", "refusal_ms"]
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

  @Test
  func `a proxy's flag that serve has too means the same`() {
    for flag in ProxyCommand.flags {
      guard let same = ServeFlags.all.first(where: { $0.name == flag.name }) else { continue }
      #expect(same.value == flag.value, "--\(flag.name)")
    }
  }
}
