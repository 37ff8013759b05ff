import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime
import Testing

@testable import postern

/// One thing has one name: as a flag, as a key of a file, and as a member of the control API.
struct NameTests {
  /// Returns whether a member has the name of one of the flags. A time's member has its unit as a suffix, a list's is in
  /// the plural, and the name of its group may be left out.
  private static func isNamed(_ member: String, _ group: String, _ flags: [Flag]) -> Bool {
    let words = member.split(separator: "_").map(String.init)
    let name = (words.last == "s" ? words.dropLast() : words[...]).joined(separator: "-")
    let names = [name, "\(group)-\(name)", name.last == "s" ? String(name.dropLast()) : name]
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

  /// What only a scenario says.
  private static let onlyOfScenarios: Set<String> = [
    "gateway", "client", "world", "phases", "accepts_per_s", "backoff", "login_tries", "first_token",
    "hammer_pause_s", "hammer_in_vain", "users_per_address", "arrivals", "stays", "for_s",
    "devices", "tabs", "single_flight", "signed_out",
  ]

  @Test
  func `each key of a scenario has the name of its flag of the storm`() {
    let keys = SimulateScenario.keys + SimulateScenario.gatewayKeys + SimulateScenario.clientKeys
    for key in keys {
      #expect(Self.isNamed(key, "", StormCommand.flags) != Self.onlyOfScenarios.contains(key), "\(key)")
    }
  }
}
